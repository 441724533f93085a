/** The scope of tokens that open `/mcp`; there is no other. */
export const toolsScope = "tools"
