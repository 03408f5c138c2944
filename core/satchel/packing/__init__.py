"""The names of this package that others use, each imported when it is first used."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.packing.bundle import BundleItem as BundleItem
    from satchel.packing.expanding import find_item as find_item
    from satchel.packing.gathering import ActiveProvider as ActiveProvider
    from satchel.packing.gathering import gather as gather
    from satchel.packing.gathering import merge_answers as merge_answers
    from satchel.packing.indexing.updating import Indexed as Indexed
    from satchel.packing.indexing.updating import WorkerSettings as WorkerSettings
    from satchel.packing.indexing.updating import index_all as index_all
    from satchel.packing.indexing.updating import jobs_for as jobs_for
    from satchel.packing.indexing.updating import split_by as split_by
    from satchel.packing.indexing.worker import Text as Text
    from satchel.packing.indexing.worker import WorkerRequest as WorkerRequest
    from satchel.packing.ladders import ItemLadder as ItemLadder
    from satchel.packing.ladders import Step as Step
    from satchel.packing.ladders import precedences as precedences
    from satchel.packing.learning import HeldOut as HeldOut
    from satchel.packing.learning import Learned as Learned
    from satchel.packing.reasons import Count as Count
    from satchel.packing.reasons import LeftOut as LeftOut
    from satchel.packing.reasons import LeftOutCounts as LeftOutCounts
    from satchel.packing.rendering import Markdown as Markdown
    from satchel.packing.rendering import body_of as body_of
    from satchel.packing.rendering import find_form as find_form
    from satchel.packing.representing import cover_lines as cover_lines
    from satchel.packing.representing import split_all as split_all
    from satchel.packing.scoring import Judge as Judge
    from satchel.packing.scoring import Scored as Scored
    from satchel.packing.suggesting import suggest as suggest
    from satchel.packing.templating import fill_template as fill_template
    from satchel.packing.templating import list_templates as list_templates
    from satchel.packing.templating import read_template as read_template
    from satchel.packing.weighing.answering import answer_shares as answer_shares
    from satchel.packing.weighing.appraising import AppraisalInputs as AppraisalInputs
    from satchel.packing.weighing.appraising import Worths as Worths
    from satchel.packing.weighing.appraising import appraise as appraise
    from satchel.packing.weighing.appraising import best_parts as best_parts
    from satchel.packing.weighing.appraising import count_query_terms as count_query_terms
    from satchel.packing.weighing.appraising import estimate_chances as estimate_chances
    from satchel.packing.weighing.appraising import refine_worths as refine_worths
    from satchel.packing.weighing.appraising import term_weights as term_weights
    from satchel.packing.weighing.declarations import find_command_lines as find_command_lines
    from satchel.packing.weighing.includes import find_includes as find_includes

__getattr__ = import_on_first_use(__name__, __file__)
