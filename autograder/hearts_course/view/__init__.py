"""The card table in the browser: it draws what a program shows, and reports each click.

A program with a card table has three functions, and names its rule books in BOOKS:

    new_table(book, rng)       return a table with a new game by the rule book of that name
    show(table)                return the view of the table, a dictionary of plain values
    click(table, event, rng)   return the table after an event, such as {"click": "QS"}

If `click` draws a computer player's card with `rng`, then `rng` returns a sensible card: see
`players`. For the best choice, the table's `deal` must have `turn`, `hand`, `trick`, `tricks`,
`direction` and `received`, and the table's `match` must have a `book`. Then the computer player
knows all that its seat may know.

`click` returns a new table and never changes the old one. So a click that fails leaves everything
as it was.
"""
