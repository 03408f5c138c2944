"""What each grammar calls a definition, an import and a use: one table per language."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen(eq=False)
class Grammar:
    """A tree-sitter grammar and what satchel looks for in its trees.

    Captures named `ref`, `import`, `comment`, `attribute`, `wrap`, `called`, `embedded`, `error` and
    `broken` have a meaning of their own; every other capture is a definition of that kind.
    """

    module: str
    """Import name of the wheel."""
    definitions: Mapping[str, str]
    """Node types that always are definitions, each with its kind."""
    patterns: str
    function: str = "language"
    """The function of the wheel that returns the grammar."""
    calls: Mapping[str, str] = attrs.field(factory=dict)
    """Kinds of what is captured as `called`, by the name that is called: query predicates are slower."""
    preprocessed: bool = False
    """Whether lines that begin with `#define` are definitions wherever they stand."""
    comments_end_bodies: bool = False
    """Whether the grammar counts comments below a body to it."""

    attributes_in_head: bool = True
    """Whether attributes of up to two lines above a name belong to its head, as decorators do."""

    @property
    def query(self) -> str:
        """Return the query text for all of it."""
        always = "\n".join(f"({node}) @{kind}" for node, kind in self.definitions.items())
        return f"(ERROR) @error\n{always}\n{self.patterns}"


JAVA = Grammar(
    module="tree_sitter_java",
    definitions={
        "class_declaration": "class",
        "interface_declaration": "interface",
        "enum_declaration": "enum",
        "record_declaration": "record",
        "annotation_type_declaration": "annotation",
        "method_declaration": "method",
        "constructor_declaration": "constructor",
        "compact_constructor_declaration": "constructor",
        "annotation_type_element_declaration": "prototype",
        "module_declaration": "module",
        "import_declaration": "import",
        "package_declaration": "import",
        "line_comment": "comment",
        "block_comment": "comment",
    },
    patterns="""
    (variable_declarator name: (identifier) value: (lambda_expression)) @function
    (method_invocation name: (identifier) @ref)
    (method_invocation object: (identifier) @ref)
    (method_reference (identifier) @ref)
    (annotation name: (identifier) @ref)
    (marker_annotation name: (identifier) @ref)
    (type_identifier) @ref
    """,
)

CSHARP = Grammar(
    module="tree_sitter_c_sharp",
    definitions={
        "class_declaration": "class",
        "struct_declaration": "struct",
        "interface_declaration": "interface",
        "enum_declaration": "enum",
        "record_declaration": "record",
        "delegate_declaration": "type",
        "method_declaration": "method",
        "constructor_declaration": "constructor",
        "destructor_declaration": "method",
        "operator_declaration": "method",
        "conversion_operator_declaration": "method",
        "indexer_declaration": "property",
        "property_declaration": "property",
        "event_declaration": "event",
        "event_field_declaration": "event",
        "local_function_statement": "function",
        "namespace_declaration": "namespace",
        "file_scoped_namespace_declaration": "namespace",
        "using_directive": "import",
        "extern_alias_directive": "import",
        "comment": "comment",
    },
    patterns="""
    (variable_declarator name: (identifier) (lambda_expression)) @function
    (invocation_expression function: (identifier) @ref)
    (invocation_expression function: (member_access_expression name: (identifier) @ref))
    (invocation_expression function: (member_access_expression name: (generic_name (identifier) @ref)))
    (invocation_expression function: (generic_name (identifier) @ref))
    (object_creation_expression type: (identifier) @ref)
    (object_creation_expression type: (generic_name (identifier) @ref))
    (base_list (identifier) @ref)
    (base_list (generic_name (identifier) @ref))
    (parameter type: (identifier) @ref)
    (method_declaration returns: (identifier) @ref)
    (property_declaration type: (identifier) @ref)
    (variable_declaration type: (identifier) @ref)
    (attribute name: (identifier) @ref)
    (type_argument_list (identifier) @ref)
    """,
)


PYTHON = Grammar(
    module="tree_sitter_python",
    comments_end_bodies=True,
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


_C_FAMILY = """
(declaration declarator: (function_declarator)) @prototype
(declaration declarator: (pointer_declarator declarator: (function_declarator))) @prototype
(declaration declarator: (pointer_declarator
  declarator: (pointer_declarator declarator: (function_declarator)))) @prototype
(struct_specifier name: (_) body: (_)) @struct
(union_specifier name: (_) body: (_)) @union
(enum_specifier name: (_) body: (_)) @enum
(type_definition declarator: (_)) @typedef
(translation_unit (declaration declarator: (init_declarator)) @variable)
(translation_unit (declaration declarator: (identifier)) @variable)
(translation_unit (declaration declarator: (pointer_declarator declarator: (identifier))) @variable)
(translation_unit (declaration declarator: (array_declarator)) @variable)
(preproc_ifdef (declaration declarator: (init_declarator)) @variable)
(preproc_if (declaration declarator: (init_declarator)) @variable)
(ERROR (function_declarator declarator: (_) parameters: (_)) @broken)
(ERROR (pointer_declarator (function_declarator) @broken))
(call_expression function: (identifier) @ref)
(call_expression function: (field_expression field: (field_identifier) @ref))
(type_identifier) @ref
"""

_C_TYPES = {
    "function_definition": "function",
    "preproc_function_def": "macro",
    "preproc_def": "macro",
    "preproc_include": "import",
    "comment": "comment",
}

C = Grammar(module="tree_sitter_c", definitions=_C_TYPES, patterns=_C_FAMILY, preprocessed=True)

CPP = Grammar(
    module="tree_sitter_cpp",
    preprocessed=True,
    definitions=_C_TYPES
    | {
        "namespace_definition": "namespace",
        "alias_declaration": "type",
        "concept_definition": "type",
        "namespace_alias_definition": "type",
        "template_declaration": "wrap",
    },
    patterns=f"""{_C_FAMILY}
    (class_specifier name: (_) body: (_)) @class
    (declaration declarator: (reference_declarator (function_declarator))) @prototype
    (declaration declarator: (operator_cast)) @prototype
    (field_declaration declarator: (function_declarator)) @prototype
    (field_declaration declarator: (pointer_declarator declarator: (function_declarator))) @prototype
    (field_declaration declarator: (reference_declarator (function_declarator))) @prototype
    (init_declarator value: (lambda_expression)) @function
    (declaration_list (declaration declarator: (init_declarator)) @variable)
    (call_expression function: (qualified_identifier name: (identifier) @ref))
    (call_expression function: (template_function name: (identifier) @ref))
    (using_declaration) @import
    """,
)

RUST = Grammar(
    module="tree_sitter_rust",
    attributes_in_head=False,
    definitions={
        "function_item": "function",
        "function_signature_item": "prototype",
        "struct_item": "struct",
        "union_item": "union",
        "enum_item": "enum",
        "trait_item": "trait",
        "impl_item": "impl",
        "mod_item": "module",
        "macro_definition": "macro",
        "const_item": "constant",
        "static_item": "constant",
        "type_item": "type",
        "associated_type": "type",
        "use_declaration": "import",
        "extern_crate_declaration": "import",
        "attribute_item": "attribute",
        "line_comment": "comment",
        "block_comment": "comment",
    },
    patterns="""
    (let_declaration pattern: (identifier) value: (closure_expression)) @function
    (macro_invocation (token_tree) @embedded)
    (call_expression function: (identifier) @ref)
    (call_expression function: (field_expression field: (field_identifier) @ref))
    (call_expression function: (scoped_identifier name: (identifier) @ref))
    (call_expression function: (generic_function function: (identifier) @ref))
    (macro_invocation macro: (identifier) @ref)
    (type_identifier) @ref
    """,
)

GO = Grammar(
    module="tree_sitter_go",
    definitions={
        "function_declaration": "function",
        "method_declaration": "method",
        "type_alias": "type",
        "method_elem": "prototype",
        "import_declaration": "import",
        "package_clause": "import",
        "comment": "comment",
    },
    patterns="""
    (type_spec type: (struct_type)) @struct
    (type_spec type: (interface_type)) @interface
    (type_spec) @type
    (source_file (const_declaration (const_spec) @constant))
    (source_file (var_declaration (var_spec) @variable))
    (source_file (var_declaration (var_spec_list (var_spec) @variable)))
    (short_var_declaration left: (expression_list . (identifier) .)
      right: (expression_list . (func_literal) .)) @function
    (call_expression function: (identifier) @ref)
    (call_expression function: (selector_expression field: (field_identifier) @ref))
    (type_identifier) @ref
    """,
)


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
