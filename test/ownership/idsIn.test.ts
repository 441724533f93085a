import { describe, expect, it } from "@effect/vitest"
import { idsAsked, idsGiven } from "../../src/ownership/idsIn.ts"

const ids = (found: ReturnType<typeof idsAsked>) => found.map(({ id, param }) => `${param} ${id}`)

describe("the ids that a request names", () => {
  it.each<[what: string, body: unknown, named: ReadonlyArray<string>]>([
    [
      "files of each family, wherever they stand",
      {
        messages: [
          { role: "user", content: [{ type: "image", source: { type: "file", file_id: "file_1" } }] },
          {
            role: "user",
            content: [
              {
                type: "tool_result",
                tool_use_id: "t",
                content: [{ type: "document", source: { type: "file", file_id: "file_2" } }]
              }
            ]
          },
          { role: "user", content: [{ type: "file", file: { file_id: "file_3" } }] }
        ],
        input: [{ role: "user", content: [{ type: "input_file", file_id: "file_4" }] }]
      },
      ["file_id file_1", "file_id file_2", "file_id file_3", "file_id file_4"]
    ],
    [
      "containers, as a text and as an object",
      {
        container: { id: "container_1", skills: [{ type: "custom", skill_id: "skill_1" }] },
        tools: [{ type: "code_interpreter", container: "cntr_1" }]
      },
      ["container container_1", "skill_id skill_1", "container cntr_1"]
    ],
    [
      "lists",
      {
        tools: [
          { type: "file_search", vector_store_ids: ["vs_1", "vs_2"] },
          { type: "code_interpreter", container: { type: "auto", file_ids: ["file_1"] } }
        ]
      },
      ["vector_store_ids vs_1", "vector_store_ids vs_2", "file_ids file_1"]
    ],
    [
      "conversations and prompts, and what their variables name",
      {
        conversation: "conv_1",
        prompt: { id: "pmpt_1", variables: { sheet: { type: "input_file", file_id: "file_1" } } }
      },
      ["conversation conv_1", "prompt pmpt_1", "file_id file_1"]
    ],
    ["each once", { input: [{ file_id: "file_1" }, { file_id: "file_1" }] }, ["file_id file_1"]],
    ["unknown parts", { input: [{ type: "hologram", of: { file_id: "file_1" } }] }, ["file_id file_1"]]
  ])("are %s", (_, body, named) => {
    expect(ids(idsAsked(body))).toEqual(named)
  })

  it.each<[what: string, body: unknown]>([
    ["no body", undefined],
    ["a new container", { tools: [{ type: "code_interpreter", container: { type: "auto" } }], container: "auto" }],
    ["a public skill", { container: { skills: [{ type: "anthropic", skill_id: "pptx" }] } }],
    ["a function's schema", { tools: [{ type: "function", parameters: { properties: {}, file_id: "f" } }] }],
    ["a client tool's schema", { tools: [{ name: "t", input_schema: { examples: [{ file_id: "f" }] } }] }],
    ["a call's arguments", { messages: [{ content: [{ type: "tool_use", input: { file_id: "f" } }] }] }],
    ["metadata", { metadata: { file_id: "f", conversation: "c" } }],
    ["what a text cites", { input: [{ content: [{ type: "output_text", annotations: [{ file_id: "f" }] }] }] }],
    ["what is no text", { container: 1, file_id: null, file_ids: [1, null], prompt: "x", conversation: {} }],
    ["a text that no id is as long as", { file_id: "x".repeat(257) }]
  ])("are not %s", (_, body) => {
    expect(idsAsked(body)).toEqual([])
  })
})

describe("the ids that an answer gives", () => {
  it("are containers and files of what it ran, those that its text cites among them", () => {
    const answer = {
      output: [
        { type: "code_interpreter_call", container_id: "cntr_1" },
        {
          type: "message",
          content: [{ type: "output_text", annotations: [{ container_id: "cntr_1", file_id: "cfile_1" }] }]
        },
        { type: "function_call", arguments: "{}", file_id: "f" }
      ],
      container: { id: "container_1" }
    }
    expect(idsGiven(answer)).toEqual({ made: ["cntr_1", "cfile_1", "container_1"], cited: [] })
  })
})
