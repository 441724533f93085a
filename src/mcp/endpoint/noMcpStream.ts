/** The answer to clients of MCP that open a stream or end a session: there are none, each answer comes with its request. */
export const noMcpStream = (): Response =>
  Response.json(
    { error: { message: "There is no stream and no session: each answer comes with its request." } },
    { status: 405, headers: { allow: "POST" } }
  )
