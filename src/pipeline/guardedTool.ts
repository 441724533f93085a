import { Effect } from "effect"
import type { LookAtCall } from "../guardrails/guardRequest.ts"
import type { ServerCallEnd, ServerTool } from "../tools/ServerTool.ts"

/**
 * Makes tools whose calls guardrails look at before the model gets the results. A caller may have approved a call with
 * words of its own. Searches for tools are none of theirs.
 */
export const guardedBy =
  (look: LookAtCall) =>
  (tool: ServerTool): ServerTool =>
    tool.isFree === true
      ? tool
      : { ...tool, run: (call) => Effect.flatMap(tool.run(call), (end) => lookedAt(look, end)) }

const lookedAt = (look: LookAtCall, end: ServerCallEnd): Effect.Effect<ServerCallEnd> => {
  const made = end.items()
  const [call, result] = made
  return Effect.match(look(made), {
    onSuccess: (now) => ({ ...end, items: () => now }),
    onFailure: () => ({
      ...end,
      events: end.events.map((event) =>
        event.type === "server-call-end" ? { ...event, result: { text: withheld, error } } : event
      ),
      items: () =>
        [
          { ...call, arguments: "{}" },
          { ...result, content, isError: true }
        ] as const
    })
  })
}

/** The guardrail's own words may quote what it blocked. */
const withheld = "A guardrail withheld the result of this call."
const content = [{ type: "text", text: withheld }] as const
const error = { type: "mcp_tool_execution_error", content } as const
