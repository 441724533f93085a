import { expect, it } from "@effect/vitest"
import { filesNamed, withFiles } from "../../src/storedFiles/fileParts.ts"

const id = "file_1"
const files = new Map([[id, { name: "a.png", mediaType: "image/png", base64: "AAAA", text: undefined }]])
const image_url = "data:image/png;base64,AAAA"

it.each([
  [
    { images: [{ file_id: id }], mask: { file_id: id } },
    { images: [{ image_url }], mask: { image_url } }
  ],
  [
    { tools: [{ type: "image_generation", input_image_mask: { file_id: id } }] },
    { tools: [{ type: "image_generation", input_image_mask: { image_url } }] }
  ]
])("puts an image without a type in its place: %j", (body, expected) => {
  expect(withFiles<object>(body, files)).toEqual(expected)
})

it.each([
  { metadata: { file_id: id } },
  { messages: [{ role: "assistant", content: [{ type: "tool_use", input: { file_id: id } }] }] },
  { messages: [{ role: "assistant", content: [{ type: "tool_use", input: { images: [{ file_id: id }] } }] }] },
  { tools: [{ name: "edit", input_examples: [{ mask: { file_id: id } }] }] }
])("leaves what only looks like a part: %j", (body) => {
  expect(filesNamed(body)).toEqual([])
  expect(withFiles<object>(body, files)).toBe(body)
})
