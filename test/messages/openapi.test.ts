import { expect, it } from "@effect/vitest"
import { MessagesApi } from "../../src/messages/Api.ts"
import { documented } from "../contract/documented.ts"

const { create, schemas } = documented(MessagesApi, "/v1/messages")

it("creating a message documents its stream beside its JSON", () => {
  expect(Object.keys(create.responses[200]!.content!)).toEqual(["application/json", "text/event-stream"])
})

it("every status of the family is declared", () => {
  expect(Object.keys(create.responses).sort()).toEqual([
    "200",
    "400",
    "401",
    "402",
    "403",
    "404",
    "409",
    "413",
    "415",
    "422",
    "429",
    "500",
    "503"
  ])
})

it("every field of a request says what it is and what it takes", () => {
  const { properties, required } = schemas["MessagesCreate"]!
  expect(required).toEqual(["model", "messages", "max_tokens"])
  expect(properties["max_tokens"]).toMatchObject({ type: "integer", minimum: 1 })
  // Its upper bound is the model's.
  expect(properties["max_tokens"]).not.toHaveProperty("maximum")
  for (const name of Object.keys(properties)) {
    expect(properties[name], name).toHaveProperty("description", expect.stringMatching(/\.$/))
  }
})

it("shows every kind of block and of tool", () => {
  expect(schemas["MessagesInputMessage"]!.properties["content"]!.anyOf[1]!.items.anyOf).toHaveLength(15)
  const [tools] = schemas["MessagesCreate"]!.properties["tools"]!.anyOf
  expect(tools!.items.anyOf.map(({ $ref }) => $ref?.split("/").at(-1))).toEqual([
    "MessagesCustomTool",
    "MessagesWebSearchTool",
    "MessagesClientTool",
    "MessagesHostedTool"
  ])
})
