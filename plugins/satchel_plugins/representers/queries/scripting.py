"""Tables for Python, Ruby, PHP and shell."""

from __future__ import annotations

from satchel_plugins.representers.queries import Grammar

PYTHON = Grammar(
    module="tree_sitter_python",
    doc_strings=True,
    definitions={
        "function_definition": "function",
        "class_definition": "class",
        "type_alias_statement": "type",
        "decorated_definition": "wrap",
        "import_statement": "import",
        "import_from_statement": "import",
        "future_import_statement": "import",
        "comment": "comment",
    },
    patterns="""
    (module (expression_statement (assignment left: (identifier)) @variable))
    (module (expression_statement (assignment left: (pattern_list)) @variable))
    (module (if_statement (block (expression_statement (assignment left: (identifier)) @variable))))
    (module (if_statement (else_clause (block (expression_statement
      (assignment left: (identifier)) @variable)))))
    (module (try_statement (block (expression_statement (assignment left: (identifier)) @variable))))
    (module (try_statement (except_clause (block (expression_statement
      (assignment left: (identifier)) @variable)))))
    (assignment left: (identifier) right: (lambda)) @function
    (call function: (identifier) @ref)
    (call function: (attribute attribute: (identifier) @ref))
    (class_definition superclasses: (argument_list (identifier) @ref))
    (class_definition superclasses: (argument_list (attribute attribute: (identifier) @ref)))
    (type (identifier) @ref)
    (type (attribute attribute: (identifier) @ref))
    (generic_type (identifier) @ref)
    (type (subscript value: (identifier) @ref))
    (type (binary_operator (identifier) @ref))
    (decorator (identifier) @ref)
    (decorator (attribute attribute: (identifier) @ref))
    (except_clause (identifier) @ref)
    """,
)

_ATTRIBUTES = (
    "attr attr_reader attr_writer attr_accessor cattr_accessor cattr_reader mattr_accessor class_attribute "
    "alias_method scope"
)

RUBY = Grammar(
    module="tree_sitter_ruby",
    calls={
        **dict.fromkeys(_ATTRIBUTES.split(), "property"),
        "define_method": "method",
        "define_singleton_method": "method",
        "require": "import",
        "require_relative": "import",
        "load": "import",
        "autoload": "import",
    },
    definitions={
        "method": "method",
        "singleton_method": "method",
        "comment": "comment",
    },
    patterns="""
    (class name: (_)) @class
    (module name: (_)) @module
    (alias name: (_)) @property
    (assignment left: (constant)) @constant
    (assignment left: (scope_resolution)) @constant
    (assignment left: (identifier) right: (lambda)) @function
    (call !receiver method: (identifier) arguments: (argument_list)) @called
    (call method: (identifier) @ref)
    (superclass [(constant) @ref (scope_resolution name: (constant) @ref)])
    (call receiver: (constant) @ref)
    (call arguments: (argument_list (constant) @ref))
    """,
)

PHP = Grammar(
    module="tree_sitter_php",
    function="language_php",
    calls={"define": "constant"},
    definitions={
        "function_definition": "function",
        "method_declaration": "method",
        "class_declaration": "class",
        "interface_declaration": "interface",
        "trait_declaration": "trait",
        "enum_declaration": "enum",
        "namespace_use_declaration": "import",
        "comment": "comment",
    },
    patterns="""
    (namespace_definition body: (_)) @namespace
    (namespace_definition !body) @import
    (const_declaration) @constant
    (assignment_expression left: (variable_name) right: [(anonymous_function) (arrow_function)]) @function
    (property_declaration (property_hook_list)) @property
    (expression_statement (function_call_expression function: (name)) @called)
    (program (expression_statement [(require_expression) (require_once_expression) (include_expression)
      (include_once_expression)]) @import)
    (function_call_expression function: [(name) @ref (qualified_name (name) @ref)])
    (member_call_expression name: (name) @ref)
    (nullsafe_member_call_expression name: (name) @ref)
    (scoped_call_expression name: (name) @ref)
    (scoped_call_expression scope: (name) @ref)
    (object_creation_expression [(name) @ref (qualified_name (name) @ref)])
    (named_type [(name) @ref (qualified_name (name) @ref)])
    (base_clause [(name) @ref (qualified_name (name) @ref)])
    (class_interface_clause [(name) @ref (qualified_name (name) @ref)])
    """,
)

SHELL = Grammar(
    module="tree_sitter_bash",
    calls={"source": "import", ".": "import", "alias": "constant"},
    definitions={"function_definition": "function", "comment": "comment"},
    patterns="""
    (command name: (command_name) argument: (_)) @called
    (program (variable_assignment) @variable)
    (program (declaration_command (variable_assignment) @variable))
    (command name: (command_name (word) @ref))
    """,
)
