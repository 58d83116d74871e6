"""The card table that is given: it draws what a program shows, and tells it what was clicked.

sitting      somebody at a table: the program, the table as it is now, and the view of it
widget       the table in a notebook; the only module here that needs anywidget
card_table   .js and .css: what the browser runs, in a notebook or on a page of its own

A program that can be sat down at has three functions:

    new_table(book, chance)       a table with a new game by the rule book of that name
    show(table)                   the view of it, a dictionary of plain values
    click(table, event, chance)   the table after an event, such as {"click": "QS"}

and names its rule books in BOOKS. Tables are never altered, so that a click which goes wrong leaves
everything as it was.
"""
