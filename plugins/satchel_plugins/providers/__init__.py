"""The built-in providers."""

from satchel_plugins.providers.dependencies import Dependencies
from satchel_plugins.providers.editor import Editor
from satchel_plugins.providers.environment import Environment
from satchel_plugins.providers.errors import Errors
from satchel_plugins.providers.files import Files
from satchel_plugins.providers.git import Git
from satchel_plugins.providers.git_blame import GitBlame
from satchel_plugins.providers.git_review import GitReview
from satchel_plugins.providers.nearby_docs import NearbyDocs
from satchel_plugins.providers.notes import Notes
from satchel_plugins.providers.project_docs import ProjectDocs
from satchel_plugins.providers.read_only import ReadOnly
from satchel_plugins.providers.tasks import Tasks
from satchel_plugins.providers.tree import Tree

PROVIDERS: tuple[type, ...] = (
    Dependencies,
    Editor,
    Environment,
    Errors,
    Files,
    Git,
    GitBlame,
    GitReview,
    NearbyDocs,
    Notes,
    ProjectDocs,
    ReadOnly,
    Tasks,
    Tree,
)
