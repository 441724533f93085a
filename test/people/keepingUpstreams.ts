import type { Asked } from "../upstreams/fakes/fakeUpstream.ts"

/** An answer, or what an upstream was asked. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
export type Json = any

export const running = (container: string) => ({
  model: "keeping",
  input: "Hi",
  tools: [{ type: "code_interpreter", container }]
})
export const fileOf = (file_id: string) => ({ role: "user", content: [{ type: "input_file", file_id }] })

/** An upstream that runs code and cites files; each answer has items of its own. */
export const responseWith = ({ body, text }: Asked): Response => {
  const [, what, id] = /(give|cite):(\w+)/.exec(text) ?? []
  const annotations =
    what === "cite"
      ? [{ type: "file_citation", file_id: id, index: 0, filename: "f" }]
      : what === "give"
        ? [
            {
              type: "container_file_citation",
              container_id: `cntr_${id}`,
              file_id: `file_cntr_${id}`,
              start_index: 0,
              end_index: 1
            }
          ]
        : []
  return Response.json({
    id: `resp_${id ?? "x"}`,
    object: "response",
    created_at: 1,
    status: "completed",
    model: body.model,
    output: [
      {
        type: "message",
        id: `msg_foreign_${id ?? "x"}`,
        status: "completed",
        role: "assistant",
        content: [{ type: "output_text", text: "done", annotations }]
      }
    ],
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 }
  })
}

/** Calls a tool, with signed reasoning, until it has a result. */
export const calling = (body: Json): Response => {
  const isAnswered = body.messages.some(({ role }: Json) => role === "tool")
  const details = { type: "reasoning.text", text: "Hm.", signature: "s", format: "anthropic-claude-v1", index: 0 }
  const message = isAnswered
    ? { role: "assistant", content: "Done." }
    : {
        role: "assistant",
        content: null,
        reasoning: "Hm.",
        reasoning_details: [details],
        tool_calls: [{ id: "call-1", type: "function", function: { name: "f", arguments: "{}" } }]
      }
  const choices = [{ index: 0, message, finish_reason: isAnswered ? "stop" : "tool_calls" }]
  return Response.json({ id: "gen-1", created: 1, model: body.model, object: "chat.completion", choices })
}
