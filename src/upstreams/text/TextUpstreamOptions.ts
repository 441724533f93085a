import type { ReadDocument } from "../../documents/Documents.ts"
import type { Served } from "../../contract/records/Served.ts"
import type { CallerFiles } from "../../guard/CallerFiles.ts"
import type { Deadlines } from "../calls/client.ts"
import type { EndpointOptions } from "../Endpoint.ts"
import type { ThinkTags } from "../protocols/openaiChat/think.ts"
import type { Betas, Guardrail } from "../protocols/Protocol.ts"

/** The options of a configured text upstream. */
export interface TextUpstreamOptions extends EndpointOptions {
  readonly name: string
  readonly deadlines: Deadlines
  /** Extracts the text of documents that the upstream does not accept. */
  readonly readDocument: ReadDocument
  /** Fetches files whose addresses the upstream does not accept. */
  readonly files: CallerFiles
  /** Patterns of stored ids that every account may name. */
  readonly sharedIds?: ReadonlyArray<string>
  /** True if it goes on with a stream whose reader left, and bills all of it. Defaults to false. */
  readonly runsOn?: boolean
  /** True if it calls the MCP servers that a request in its dialect names. Defaults to false. */
  readonly runsServers?: boolean
  /** True if it has threads. */
  readonly threads?: boolean
  /** True to cache every translated prompt. */
  readonly cachesAll?: boolean
  /** The tier and the place to send where a request names none. */
  readonly defaults?: Served | undefined
  readonly thinkTags?: ThinkTags
  /** The guardrail that every request names, at Bedrock. */
  readonly guardrail?: Guardrail | undefined
  /** True if its answers tell what they cost, and that is believed. */
  readonly tellsCost?: boolean
  /** The betas of Anthropic's API that the upstream gets, in place of those that its place takes. */
  readonly betas?: Betas | undefined
}
