"""Read tasks: whether one is a question, the kind of answer that it needs, and the words for it."""

from satchel.lazy_names import import_on_first_use

TYPE_CHECKING = False
if TYPE_CHECKING:  # at run time each name is imported when it is first used
    from satchel.questions.additions import OWN_PLACES as OWN_PLACES
    from satchel.questions.additions import Addition as Addition
    from satchel.questions.additions import read_addition as read_addition
    from satchel.questions.aims import Aim as Aim
    from satchel.questions.aims import FilePlace as FilePlace
    from satchel.questions.aims import given_score as given_score
    from satchel.questions.aims import is_test as is_test
    from satchel.questions.aims import look_up_places as look_up_places
    from satchel.questions.aims import place_factor as place_factor
    from satchel.questions.aims import place_of as place_of
    from satchel.questions.aims import places_version as places_version
    from satchel.questions.facts import may_declare as may_declare
    from satchel.questions.git_words import asks_about_changes as asks_about_changes
    from satchel.questions.git_words import asks_about_conflicts as asks_about_conflicts
    from satchel.questions.git_words import asks_for_entry as asks_for_entry
    from satchel.questions.git_words import asks_for_message as asks_for_message
    from satchel.questions.git_words import asks_since_release as asks_since_release
    from satchel.questions.git_words import asks_why_lines as asks_why_lines
    from satchel.questions.git_words import count_commits_to_review as count_commits_to_review
    from satchel.questions.git_words import find_named_commits as find_named_commits
    from satchel.questions.git_words import find_since as find_since
    from satchel.questions.orders import asks_for_tests as asks_for_tests
    from satchel.questions.reading import NO_QUESTION as NO_QUESTION
    from satchel.questions.reading import Question as Question
    from satchel.questions.reading import asks_about_whole as asks_about_whole
    from satchel.questions.reading import read_question as read_question
    from satchel.questions.reading import relate_to_project as relate_to_project
    from satchel.questions.renaming import ChangePlace as ChangePlace
    from satchel.questions.renaming import compile_use as compile_use
    from satchel.questions.renaming import find_change_place as find_change_place
    from satchel.questions.renaming import find_names_to_change as find_names_to_change
    from satchel.questions.renaming import find_replaced_names as find_replaced_names
    from satchel.questions.renaming import is_plain_word as is_plain_word
    from satchel.questions.renaming import last_of as last_of
    from satchel.questions.renaming import looks_for_uses as looks_for_uses
    from satchel.questions.renaming import term_of as term_of
    from satchel.questions.renaming import terms_of as terms_of
    from satchel.questions.whole_project import find_rest as find_rest

__getattr__ = import_on_first_use(__name__, __file__)
