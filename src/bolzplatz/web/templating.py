"""The templates: one environment, made when the first page is asked for."""

from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bolzplatz.web.language import Catalogue

if TYPE_CHECKING:
    from jinja2 import Environment


_Kept: Final = type(cache(str))
"""What `lru_cache` makes of a macro."""
PIECES: Final = ("macros.html", "pieces/5050.html", "pieces/bar-bolz.html")
"""The templates whose macros depend on their arguments alone: what they make is kept, and the next seat that sees the
same is shown that."""
_MOST_KEPT: Final = 1024


@cache
def environment() -> "Environment":
    """Return the environment of the pages' templates. Everything is escaped; an unknown name is an error."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from jinja2.runtime import Context, Macro

    class Quick(Environment):
        """Looks for keys first: scenes are dicts, and a missing attribute is an exception each time."""

        def getattr(self, obj: Any, attribute: str) -> Any:
            """See Environment."""
            if type(obj) is dict and attribute in obj:
                return obj[attribute]
            return super().getattr(obj, attribute)

    class Direct(Context):
        """Calls texts and pieces directly: they never ask for the context, and looking whether they do costs more."""

        def call(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
            """See Context."""
            if type(obj) is Catalogue or type(obj) is _Kept:
                kwargs.pop("_loop_vars", None)
                kwargs.pop("_block_vars", None)
                return obj(*args, **kwargs)
            return super().call(obj, *args, **kwargs)

    Quick.context_class = Direct
    made = Quick(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        # Templates come with the package: nobody has to look at the disk for each page whether they have changed.
        auto_reload=False,
    )
    for pieces in (made.get_template(name).module for name in PIECES):
        for name, macro in list(vars(pieces).items()):
            if isinstance(macro, Macro):
                setattr(pieces, name, lru_cache(maxsize=_MOST_KEPT)(macro))
    return made


def fill(template: str, **values: object) -> str:
    """Return a filled template."""
    return environment().get_template(template).render(**values)


def fill_macro(template: str, macro: str, *arguments: object) -> str:
    """Return what one macro of a template makes of its arguments, which are all that it knows."""
    return str(getattr(environment().get_template(template).module, macro)(*arguments))
