"""The templates: one environment, made when the first page is asked for."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> "Environment":
    """Return the environment of the pages' templates. Everything is escaped; an unknown name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Templates come with the package: nobody has to look at the disk for each page whether they have changed.
        auto_reload=False,
    )


def fill(template: str, **values: object) -> str:
    """Return a filled template."""
    return environment().get_template(template).render(**values)


def fill_macro(template: str, macro: str, *arguments: object, **values: object) -> str:
    """Return what one macro of a template makes of its arguments; `values` are the names that the template knows."""
    module = environment().get_template(template).make_module(values)
    return str(getattr(module, macro)(*arguments))
