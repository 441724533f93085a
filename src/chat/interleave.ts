import type { Item, Part } from "../generation/Conversation.ts"
import type { PlacedReasoning } from "./reasoning.ts"

/** An assistant's items in the order in which they were written: reasoning may stand between texts and calls. */
export const interleave = (
  reasoning: ReadonlyArray<PlacedReasoning>,
  content: ReadonlyArray<Part>,
  calls: ReadonlyArray<Item>
): ReadonlyArray<Item> => {
  const items: Array<Item> = []
  const text = firstText(content)
  let said = 0
  let called = 0
  const say = (until: number) => {
    const parts =
      text === undefined
        ? content.slice(said === 0 ? 0 : content.length)
        : [...sliceOf(text, said, until), ...(until === Infinity ? content.slice(1) : [])]
    if (until <= said || parts.length === 0) return
    items.push({ type: "message", role: "assistant", content: parts })
    said = until
  }
  const call = (until: number) => {
    for (const one of calls.slice(called, until)) items.push(one)
    called = Math.max(called, until)
  }
  for (const { after, item } of reasoning) {
    say(after.content)
    call(after.tool_calls)
    items.push(item)
  }
  say(Infinity)
  call(Infinity)
  return items
}

type Text = Extract<Part, { readonly type: "text" }>

/** Only one text can be cut where reasoning stood in it; images follow it. Other content comes at once. */
const firstText = ([first, ...others]: ReadonlyArray<Part>): Text | undefined =>
  first?.type === "text" && others.every(({ type }) => type === "image") ? first : undefined

const sliceOf = (whole: Text, from: number, until: number): ReadonlyArray<Part> => {
  const text = whole.text.slice(from, until)
  if (text === "") return []
  // A cache breakpoint belongs to the end.
  return [until < whole.text.length ? { type: "text", text } : { ...whole, text }]
}
