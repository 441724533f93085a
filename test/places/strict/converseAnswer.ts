import { awsFrame } from "./awsFrame.ts"
import type { Any, Ask } from "./rule.ts"
import { awsStream, fresh, inputTokensOf, signatureOf, thinksOf, thought, usual } from "./said.ts"
import type { Said } from "./said.ts"

export const converseAnswer = (ask: Ask, said: Said): Response => {
  const signature = signatureOf(ask.place)
  const content: ReadonlyArray<Any> = [
    ...(thinksOf(ask) ? [{ reasoningContent: { reasoningText: { text: thought, signature } } }] : []),
    ...(said.calls.length === 0 ? [{ text: said.text ?? usual }] : []),
    ...said.calls.map(({ input, name }) => ({ toolUse: { toolUseId: fresh("tooluse_strict"), name, input } }))
  ]
  const stopReason = said.calls.length === 0 ? "end_turn" : "tool_use"
  const inputTokens = inputTokensOf(said)
  const bill = { usage: { inputTokens, outputTokens: 8, totalTokens: inputTokens + 8 }, metrics: { latencyMs: 5 } }
  if (!ask.stream) return Response.json({ output: { message: { role: "assistant", content } }, stopReason, ...bill })
  const deltasOf = (block: Any): ReadonlyArray<Any> => {
    if (block.text !== undefined) return [{ text: block.text }]
    if (block.toolUse !== undefined) return [{ toolUse: { input: JSON.stringify(block.toolUse.input) } }]
    return [{ reasoningContent: { text: thought } }, { reasoningContent: { signature } }]
  }
  return awsStream([
    awsFrame("messageStart", { role: "assistant" }),
    ...content.flatMap((block, contentBlockIndex) => {
      const { input: _, ...toolUse } = block.toolUse ?? {}
      return [
        ...(block.toolUse === undefined
          ? []
          : [awsFrame("contentBlockStart", { contentBlockIndex, start: { toolUse } })]),
        ...deltasOf(block).map((delta) => awsFrame("contentBlockDelta", { contentBlockIndex, delta })),
        awsFrame("contentBlockStop", { contentBlockIndex })
      ]
    }),
    awsFrame("messageStop", { stopReason }),
    awsFrame("metadata", bill)
  ])
}
