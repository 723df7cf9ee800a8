"""The pages of the table: HTML and SVG made from what a seat may see, and no rule of any game."""
