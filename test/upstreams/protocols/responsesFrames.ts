import { openaiResponses } from "../../../src/upstreams/protocols/openaiResponses/openaiResponses.ts"
import { conversation } from "../conversations.ts"

export type Asked = Parameters<typeof conversation>[0]

export const lower = (over: Asked, model = "gpt-5.1") =>
  openaiResponses.lower(conversation(over), { model, stream: true })
