"""Tables for JavaScript, TypeScript and TSX."""

from __future__ import annotations

from satchel_plugins.representers.queries import Grammar

_FUNCTIONS = "[(arrow_function) (function_expression) (generator_function)]"

_SHARED = f"""
(export_statement declaration: (_)) @wrap
(export_statement value: [(function_expression) (arrow_function) (generator_function) (class)] @default) @wrap
(variable_declarator name: (identifier) value: {_FUNCTIONS}) @function
(variable_declarator name: (identifier) value: (class)) @class
(program (lexical_declaration (variable_declarator name: (identifier)) @variable))
(program (variable_declaration (variable_declarator name: (identifier)) @variable))
(program (export_statement declaration:
  (lexical_declaration (variable_declarator name: (identifier)) @variable)))
(program (export_statement declaration:
  (variable_declaration (variable_declarator name: (identifier)) @variable)))
(assignment_expression left: [(identifier) (member_expression) (subscript_expression)]
  right: {_FUNCTIONS}) @function
(assignment_expression left: [(identifier) (member_expression)] right: (class)) @class
(assignment_expression left: (member_expression) right: (assignment_expression right: {_FUNCTIONS})) @function
(program (expression_statement (assignment_expression left: (member_expression) right: (object)) @object))
(function_expression name: (identifier)) @function
(pair key: (_) value: {_FUNCTIONS}) @function
(program (_ (variable_declarator value: (call_expression function: (identifier)) @called)))
(program (expression_statement (call_expression function: (identifier)) @called))
(call_expression function: (identifier) @ref)
(call_expression function: (member_expression property: (property_identifier) @ref))
(new_expression constructor: (identifier) @ref)
(new_expression constructor: (member_expression property: (property_identifier) @ref))
"""

_CALLS = {"require": "import"}

_SHARED_TYPES = {
    "function_declaration": "function",
    "generator_function_declaration": "function",
    "class_declaration": "class",
    "method_definition": "method",
    "import_statement": "import",
    "comment": "comment",
}

JAVASCRIPT = Grammar(
    module="tree_sitter_javascript",
    calls=_CALLS,
    definitions=_SHARED_TYPES | {"decorator": "attribute"},
    patterns=f"""{_SHARED}
    (field_definition property: (_) value: {_FUNCTIONS}) @function
    (class_heritage (identifier) @ref)
    (class_heritage (member_expression property: (property_identifier) @ref))
    (jsx_opening_element name: (identifier) @ref)
    (jsx_self_closing_element name: (identifier) @ref)
    """,
)

_TYPED = f"""{_SHARED}
(ambient_declaration) @wrap
(ambient_declaration (variable_declaration (variable_declarator) @variable))
(ambient_declaration (lexical_declaration (variable_declarator) @variable))
(public_field_definition name: (_) value: {_FUNCTIONS}) @function
(module name: (_)) @module
(internal_module name: (_)) @namespace
(type_identifier) @ref
(class_heritage (extends_clause value: (identifier) @ref))
"""

_TYPED_TYPES = _SHARED_TYPES | {
    "function_signature": "prototype",
    "method_signature": "prototype",
    "abstract_method_signature": "prototype",
    "abstract_class_declaration": "class",
    "interface_declaration": "interface",
    "type_alias_declaration": "type",
    "enum_declaration": "enum",
    "decorator": "attribute",
}

TYPESCRIPT = Grammar(
    module="tree_sitter_typescript",
    function="language_typescript",
    calls=_CALLS,
    definitions=_TYPED_TYPES,
    patterns=_TYPED,
)

TSX = Grammar(
    module="tree_sitter_typescript",
    function="language_tsx",
    calls=_CALLS,
    definitions=_TYPED_TYPES,
    patterns=f"""{_TYPED}
    (jsx_opening_element name: (identifier) @ref)
    (jsx_self_closing_element name: (identifier) @ref)
    """,
)
