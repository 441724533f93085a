import { expect, it } from "@effect/vitest"
import { anthropicMessages } from "../../../src/upstreams/protocols/anthropicMessages/anthropicMessages.ts"
import { conversation, system } from "../conversations.ts"

it.each([
  ["messages", "messages"],
  [undefined, "input"]
])("system text alone is refused by the caller's name of the field (%s)", (inputParam, param) => {
  const asked = conversation({
    items: [system("Be brief.")],
    ...(inputParam === undefined ? {} : { inputParam })
  })
  expect(anthropicMessages.lower(asked, { model: "claude-sonnet-4-5", stream: true }).refused).toMatchObject({
    param,
    message: `${param}: holds nothing that the model's upstream takes`
  })
})
