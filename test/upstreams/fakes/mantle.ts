import type { JsonObject } from "../../../src/contract/fields.ts"
import { isSigned, signerIn } from "../../e2e/clouds/sigV4.ts"
import { anthropic } from "./anthropic.ts"
import { chat } from "./chat.ts"
import { betasIn, placeComplaint } from "./claudePlaces.ts"
import type { DialectName } from "./fakeUpstream.ts"
import { responses } from "./responses.ts"
import type { Dialect } from "./scenarios.ts"
import { complaint } from "./strict.ts"

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever was sent
type Any = any

export const awsKeys = { accessKeyId: "AKIAMANTLE0000000001", secretAccessKey: "mantle-secret-0123456789" }
export const awsKey = "bedrock-api-key-of-mantle"
export const workspace = "wrkspc_01house"

/** A call as it came. */
export interface AwsCall {
  readonly host: string
  readonly path: string
  readonly headers: Headers
  readonly body: Any
  readonly by: "signature" | "bearer"
}

/** Where each service has which dialects, and the names that its models have. */
const services: Readonly<
  Record<
    string,
    { readonly service: string; readonly paths: Readonly<Record<string, DialectName>>; readonly id: RegExp }
  >
> = {
  "bedrock-runtime": {
    service: "bedrock",
    paths: { "/openai/v1/chat/completions": "openai-chat", "/openai/v1/responses": "openai-responses" },
    id: /^openai\.gpt-oss-(?:20b|120b)-1:0$/
  },
  "bedrock-mantle": {
    service: "bedrock-mantle",
    paths: {
      "/openai/v1/responses": "openai-responses",
      "/openai/v1/chat/completions": "openai-chat",
      "/anthropic/v1/messages": "anthropic-messages",
      "/anthropic/v1/messages/count_tokens": "anthropic-messages"
    },
    id: /^(?:openai|anthropic|deepseek)\./
  },
  "aws-external-anthropic": {
    service: "aws-external-anthropic",
    paths: { "/v1/messages": "anthropic-messages", "/v1/messages/count_tokens": "anthropic-messages" },
    id: /^claude-/
  }
}

const dialects: Readonly<Record<DialectName, Dialect>> = {
  "openai-chat": chat,
  "openai-responses": responses,
  "anthropic-messages": anthropic
}

const events = (dialect: Dialect, frames: ReadonlyArray<JsonObject>): Response => {
  const name = (frame: JsonObject) => (dialect.named ? `event: ${String(frame["type"])}\n` : "")
  const text = frames.map((frame) => `${name(frame)}data: ${JSON.stringify(frame)}\n\n`).join("") + dialect.end
  return new Response(text, { headers: { "content-type": "text/event-stream" } })
}

const callerIn = async (request: Request, body: string, service: string): Promise<AwsCall["by"] | undefined> => {
  const { headers, method, url } = request
  if (headers.get("authorization") === `Bearer ${awsKey}`) return "bearer"
  if (signerIn(headers) !== awsKeys.accessKeyId) return undefined
  return (await isSigned({ method, url, headers, body }, awsKeys, service)) ? "signature" : undefined
}

/**
 * AWS's places that speak OpenAI's and Anthropic's own wire, at the host names that they have, below `localhost`: the
 * service that a signature must name depends on them.
 */
export const fakeMantle = () => {
  const asked: Array<AwsCall> = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const { hostname, pathname: path } = new URL(request.url)
      const text = await request.text()
      const [host = "", region] = hostname.split(".")
      const place = services[host]
      const name = place?.paths[path]
      const fails = (status: number, message: string) =>
        Response.json({ error: { type: "invalid_request_error", message } }, { status })
      if (place === undefined || name === undefined || region !== "eu-west-1")
        return fails(404, "isn't supported on this route")
      const by = await callerIn(request, text, place.service)
      if (by === undefined) return Response.json({ message: "The security token is invalid." }, { status: 403 })
      const body = JSON.parse(text)
      asked.push({ host, path, headers: request.headers, body, by })
      if (host === "aws-external-anthropic" && request.headers.get("anthropic-workspace-id") !== workspace) {
        return fails(400, "anthropic-workspace-id: Field required")
      }
      if (!place.id.test(body.model)) return fails(404, `model: ${body.model}`)
      const isCount = path.endsWith("/count_tokens")
      const call = { model: body.model, betas: betasIn(request.headers), isCount }
      const version = request.headers.get("anthropic-version") ?? undefined
      const unfit =
        host === "bedrock-mantle" && name === "anthropic-messages"
          ? placeComplaint("mantle", { ...call, version }, body)
          : undefined
      if (unfit !== undefined) return fails(400, unfit)
      if (isCount) return Response.json({ input_tokens: 9 })
      const wrong = complaint(name, body)
      if (wrong !== undefined) return fails(400, `fake upstream: ${wrong}`)
      const dialect = dialects[name]
      return body.stream === true
        ? events(dialect, dialect.frames("text", body.model))
        : Response.json(dialect.answer("text", body.model))
    }
  })
  return {
    /** The address of a service: `bedrock-mantle`. */
    at: (service: string) =>
      `http://${service}.eu-west-1.${service === "bedrock-runtime" ? "amazonaws.com" : "api.aws"}.localhost:${server.port}`,
    last: (): AwsCall => {
      const call = asked.at(-1)
      if (call === undefined) throw new Error("AWS was not asked")
      return call
    },
    stop: () => server.stop(true)
  }
}
