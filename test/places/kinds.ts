import { chat } from "./chatKinds.ts"
import { messages } from "./messagesKinds.ts"
import { u } from "./pieces.ts"
import { responses } from "./responsesKinds.ts"

export type FamilyName = "messages" | "chat" | "responses"

const all = {
  messages: { path: "/v1/messages", usual: { max_tokens: 100, messages: [u("Hi")] }, kinds: messages },
  chat: { path: "/v1/chat/completions", usual: { messages: [u("Hi")] }, kinds: chat },
  responses: { path: "/v1/responses", usual: { input: "Hi" }, kinds: responses }
} as const satisfies Readonly<Record<FamilyName, unknown>>

/** Each kind of each family. */
export const families = (chosen: { readonly family?: string | undefined; readonly kind?: string | undefined }) =>
  (["messages", "chat", "responses"] as const).flatMap((family) => {
    const { kinds, path, usual } = all[family]
    if ((chosen.family ?? family) !== family) return []
    return Object.entries(kinds).flatMap(([kind, body]) =>
      (chosen.kind ?? kind) === kind ? [{ family, kind, path, body: { ...usual, ...body } }] : []
    )
  })
