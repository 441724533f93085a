import { afterAll, beforeAll, beforeEach } from "vitest"
import OpenAI from "openai"
import type { ResponseCreateParamsNonStreaming, ResponseInputItem } from "openai/resources/responses/responses"
import type { GatewayHere } from "../gatewayHere.ts"
import { startCallingModel, startDice } from "./callingModel.ts"

export type Asking = Omit<Partial<ResponseCreateParamsNonStreaming>, "stream">

/** The key of another account. */
export const otherKey = "sk-of-another-0123456789abcdef"

/**
 * A model that calls the tool of a server that requests name, for the tests of a file.
 *
 * @param more of the configuration, by the address of the model
 */
export const approvals = (more: (chat: string) => object = () => ({})) => {
  const dice = startDice()
  const chat = startCallingModel()
  const { seen } = dice
  let gateway: GatewayHere
  beforeAll(async () => {
    const others = { accounts: { other: {} }, keys: [{ name: "of-another", secret: otherKey, account: "other" }] }
    const configuration = { ...others, ...more(`${chat.url}/v1`) }
    gateway = await chat.gateway({ GATEWAY_ALLOW_ADDRESSES: "127.0.0.0/8" }, configuration)
  })
  beforeEach(() => {
    chat.want("dice__roll")
    seen.length = 0
  })
  afterAll(async () => {
    await Promise.all([gateway.dispose(), chat.stop(), dice.stop()])
  })
  const server = (over: object = {}) => ({
    type: "mcp" as const,
    server_label: "dice",
    server_url: dice.url,
    ...over
  })
  const openai = (apiKey = gateway.key) => new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey, maxRetries: 0 })
  const create = (asking: Asking, stream = false) => {
    const body = { model: "house", tools: [server()], ...asking }
    return stream ? openai().responses.stream(body).finalResponse() : openai().responses.create(body)
  }
  const ask = (asking: Asking = {}, stream = false) => create({ input: "Roll a die", ...asking }, stream)
  const answer = (id: string | undefined, approve: boolean, reason?: string): ResponseInputItem => ({
    type: "mcp_approval_response",
    approval_request_id: id ?? "",
    approve,
    ...(reason !== undefined && { reason })
  })
  const calls = () => seen.filter(({ method }) => method === "tools/call").length
  return { answer, ask, at: () => gateway, calls, chat, create, dice, openai, seen, server }
}
