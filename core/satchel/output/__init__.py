"""Command output: clean it, fold it, judge it, keep the lines that matter; and run commands."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.output.choosing import OutputCut as OutputCut
    from satchel.output.cleaning import Hider as Hider
    from satchel.output.cleaning import clean_line as clean_line
    from satchel.output.cleaning import is_binary as is_binary
    from satchel.output.cleaning import shorten_rules as shorten_rules
    from satchel.output.folding import LineFolding as LineFolding
    from satchel.output.judging import judge as judge
    from satchel.output.judging import matters as matters
    from satchel.output.marks import failure_name as failure_name
    from satchel.output.naming import names_in as names_in
    from satchel.output.reading import Plugins as Plugins
    from satchel.output.running import CommandError as CommandError
    from satchel.output.running import Running as Running
    from satchel.output.squeezing import squeeze_for_each as squeeze_for_each
    from satchel.output.squeezing import squeeze_stream as squeeze_stream
    from satchel.output.squeezing import whole_lines as whole_lines
    from satchel.output.tables import find_header as find_header

__getattr__ = import_on_first_use(__name__, __file__)
