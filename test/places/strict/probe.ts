import type { Any, Place } from "./rule.ts"

export type Probe = {
  readonly id: string
  readonly place: Place
  readonly body: Any
  readonly model?: string
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly bytes?: number
}
export const probes: Array<Probe> = []
export const p = (id: string, place: Place, body: Any, more: Omit<Probe, "id" | "place" | "body"> = {}) =>
  probes.push({ id, place, body, ...more })

export const E = { type: "ephemeral" }
export const hi = { role: "user", content: "hi" }
export const AT = { name: "w", description: "d", input_schema: { type: "object", properties: {} } }
export const call = { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "w", input: {} }] }
export const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "x" }] }
export const C = (more: Any) => ({ max_tokens: 1000, messages: [hi], ...more })
export const kHi = { role: "user", content: [{ text: "hi" }] }
export const KT = { tools: [{ toolSpec: { name: "w", description: "d", inputSchema: { json: { type: "object" } } } }] }
export const kCall = { role: "assistant", content: [{ toolUse: { toolUseId: "t1", name: "w", input: {} } }] }
export const kResult = { role: "user", content: [{ toolResult: { toolUseId: "t1", content: [{ text: "x" }] } }] }
export const K = (more: Any) => ({ messages: [kHi], ...more })
export const OT = { type: "function", function: { name: "w", parameters: { type: "object", properties: {} } } }
export const oCall = {
  role: "assistant",
  tool_calls: [{ id: "c1", type: "function", function: { name: "w", arguments: "{}" } }]
}
export const oResult = { role: "tool", tool_call_id: "c1", content: "x" }
export const O = (more: Any) => ({ messages: [hi], ...more })
export const R = (more: Any) => ({ input: "hi", ...more })
export const gHi = { role: "user", parts: [{ text: "hi" }] }
export const GT = { functionDeclarations: [{ name: "w" }] }
export const gResult = { role: "user", parts: [{ functionResponse: { name: "w", response: {} } }] }
export const G = (more: Any) => ({ contents: [gHi], ...more })
