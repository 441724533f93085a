import { expect, it } from "@effect/vitest"
import { ResponsesApi } from "../../src/responses/Api.ts"
import { documented } from "../contract/documented.ts"
import type { Shown } from "../contract/documented.ts"

const { create, schemas } = documented(ResponsesApi, "/v1/responses")

it("creating a response documents its stream beside its JSON", () => {
  expect(Object.keys(create.responses[200]!.content!)).toEqual(["application/json", "text/event-stream"])
})

it("every status of the family is declared", () => {
  const statuses = ["200", "400", "401", "402", "403", "404", "409", "413", "415", "422", "424", "429", "500", "503"]
  expect(Object.keys(create.responses).sort()).toEqual(statuses)
})

it("every field of a request says what it is", () => {
  const { properties, required } = schemas["ResponsesCreate"]!
  expect(required).toEqual(["model", "input"])
  for (const name of Object.keys(properties)) {
    expect(properties[name], name).toHaveProperty("description", expect.stringMatching(/\.$/))
  }
  expect(properties["temperature"]!.anyOf[0]).toMatchObject({ type: "number", minimum: 0, maximum: 2 })
  expect(properties["max_output_tokens"]!.anyOf[0]).toMatchObject({ type: "integer", minimum: 1 })
})

it("shows every kind of item, block and tool", () => {
  const names = (shown: Shown) => shown.anyOf.map(({ $ref }) => $ref?.split("/").at(-1)?.replace("Responses", ""))
  expect(names(schemas["ResponsesCreate"]!.properties["input"]!.anyOf[1]!.items)).toHaveLength(23)
  expect(names(schemas["ResponsesInputMessage"]!.properties["content"]!.anyOf[1]!.items)).toEqual([
    "InputText",
    "InputImage",
    "InputFile",
    "ReplayedText",
    "ReplayedRefusal"
  ])
  expect(names(schemas["ResponsesCreate"]!.properties["tools"]!.anyOf[0]!.items)).toEqual([
    "FunctionTool",
    "CustomTool",
    "NamespaceTool",
    "ToolSearchTool",
    "ShellTool",
    "LocalShellTool",
    "ApplyPatchTool",
    "ComputerTool",
    "WebSearchTool",
    "HostedTool"
  ])
  expect(names(schemas["Response"]!.properties["output"]!.items)).toEqual([
    "Message",
    "OutputReasoning",
    "FunctionCall",
    "CustomToolCall",
    "ToolSearchCall",
    "ShellCall",
    "LocalShellCall",
    "ApplyPatchCall",
    "ComputerCall",
    "WebSearchCall",
    "ImageGenerationCall",
    "McpListTools",
    "McpCall",
    "McpApprovalRequest",
    "Compaction"
  ])
})
