import type { Any, Ask } from "./rule.ts"
import { eventStream, fresh, inputTokensOf, signatureOf, sse, usual } from "./said.ts"
import type { Said } from "./said.ts"

export const geminiAnswer = (ask: Ask, said: Said): Response => {
  const promptTokenCount = inputTokensOf(said)
  if (/countTokens/.test(ask.path)) return Response.json({ totalTokens: promptTokenCount })
  const thoughtSignature = signatureOf(ask.place)
  const idOf = () => (ask.place === "vertex-gemini" && /gemini-2/.test(ask.model) ? {} : { id: fresh("strict") })
  // Of calls in parallel the first alone is signed.
  const parts: ReadonlyArray<Any> =
    said.calls.length === 0
      ? [{ text: said.text ?? usual, thoughtSignature }]
      : said.calls.map(({ input, name }, index) => ({
          functionCall: { ...idOf(), name, args: input },
          ...(index === 0 && { thoughtSignature })
        }))
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount, candidatesTokenCount: 8, totalTokenCount: promptTokenCount + 8 },
    modelVersion: ask.model,
    responseId: fresh("strict")
  }
  return ask.stream ? eventStream(sse(answer).replaceAll("\n", "\r\n")) : Response.json(answer)
}
