"""The MCP server: tools, resources and prompts over workspaces that stay open (`satchel mcp`)."""
