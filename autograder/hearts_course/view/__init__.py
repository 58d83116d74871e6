"""The card table in the browser: it draws what a program shows, and reports what was clicked.

A program with a card table has three functions, and names its rule books in BOOKS:

    new_table(book, rng)       return a table with a new game by the rule book of that name
    show(table)                return the view of the table, a dictionary of plain values
    click(table, event, rng)   return the table after an event, such as {"click": "QS"}

If `click` draws a computer player's card with `rng`, then `rng` returns a sensible card: see
`players`.
A table tells that player all that its seat may know if its `deal` has `turn`, `hand`, `trick`,
`tricks`, `direction` and `received`, and its `match` has a `book`.
Tables never change, so a click that fails leaves everything as it was.
"""
