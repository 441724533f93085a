import { lastWord } from "./cannedUpstream.ts"

/** A request to the gateway. */
export interface Question {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  /** What its answer has in it where it is whole and all is well. */
  readonly holds: ReadonlyArray<string>
}

const system = "You are a careful assistant. ".repeat(20)
const parameters = {
  type: "object",
  properties: { path: { type: "string", description: "A file" }, limit: { type: "integer" } },
  required: ["path"]
}
const [name, description] = ["read_file", "Reads a file and answers its text."]
const said = ["What is in notes.txt?", "It is a list of errands. Shall I sort it?", "Yes, by the day they are due."]
const turns = said.map((content, index) => ({ role: index % 2 === 0 ? "user" : "assistant", content }))

/** What agents ask, in each family: a system text, a tool, some turns; as a stream and in one piece. */
export const questions = (model: string): ReadonlyArray<Question> =>
  [true, false].flatMap((stream): ReadonlyArray<Question> => [
    {
      path: "/v1/messages",
      holds: stream ? [lastWord, "message_stop"] : [lastWord],
      body: {
        model,
        max_tokens: 1_024,
        stream,
        system: [{ type: "text", text: system, cache_control: { type: "ephemeral" } }],
        tools: [{ name, description, input_schema: parameters }],
        messages: turns.map(({ content, role }) => ({ role, content: [{ type: "text", text: content }] }))
      }
    },
    {
      path: "/v1/chat/completions",
      holds: stream ? [lastWord, "[DONE]"] : [lastWord],
      body: {
        model,
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
        tools: [{ type: "function", function: { name, description, parameters } }],
        messages: [{ role: "system", content: system }, ...turns]
      }
    },
    {
      path: "/v1/responses",
      holds: stream ? [lastWord, "response.completed"] : [lastWord],
      body: {
        model,
        stream,
        instructions: system,
        tools: [{ type: "function", name, description, parameters, strict: false }],
        input: turns
      }
    }
  ])
