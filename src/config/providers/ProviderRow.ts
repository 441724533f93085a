import type { ClaudePlaceName } from "./claudePlaces.ts"
import type { ProtocolName } from "../sections/Upstream.ts"

/** A provider of models, or a kind of server. All that is known of it without asking it. */
export interface ProviderRow {
  /** Ends of its hosts, so that a base URL is enough to find the row. One that begins with `-` ends a longer name. */
  readonly hosts: ReadonlyArray<string>
  /**
   * The part of its addresses that all surfaces share. An entry's settings replace `{region}`, `{project}` and
   * `{resource}`. Undefined if only the operator knows it.
   */
  readonly origin: string | undefined
  /** Origins of regions whose address has another form. */
  readonly regions?: Readonly<Record<string, string>>
  /** The protocols that it speaks, the usual one first. */
  readonly surfaces: readonly [Surface, ...ReadonlyArray<Surface>]
  /** The row of the betas and fields that it takes of Anthropic's messages. */
  readonly claude?: ClaudePlaceName
  /**
   * How Anthropic's messages go there, if not as at Anthropic: by InvokeModel, by Vertex's `rawPredict`, or with the key
   * as a bearer token.
   */
  readonly claudeWire?: "invoke" | "rawPredict" | "bearer"
  /** True if requests may name a guardrail. */
  readonly hasGuardrails?: true
  /** True if it serves OpenAI's own models as OpenAI does: what is refused there is the caller's to read. */
  readonly isOpenAi?: true
  /** True if keys go in Azure's header `api-key` by OpenAI's dialects, and older addresses name deployments. */
  readonly isAzure?: true
  /** The protocols by which it calls the MCP servers that a request names. For others the gateway calls them. */
  readonly runsServers?: ReadonlyArray<ProtocolName>
  /** The usual credentials of an upstream without a key; `none` for servers that want nothing. */
  readonly auth: "key" | "none" | "aws" | "google" | "azure"
  /** The variable that usually holds a key. */
  readonly variable?: string
  /** The variables in which the provider's own clients look for the settings of its addresses. */
  readonly places?: Readonly<Partial<Record<"region" | "project" | "resource", string>>>
  /** Headers that every request there needs, and the variables in which the provider's own clients look for them. */
  readonly headers?: Readonly<Record<string, string>>
  /** True if its answers tell what it charges for them (xAI's ticks, OpenRouter's and Perplexity's `cost`). */
  readonly tellsCost?: true
  /** True if its models are the operator's own deployments, which no list of models names. */
  readonly hasDeployments?: true
  /** An example of a model's name there. */
  readonly example: string
  /** Generally available models, for a gateway without a file; absent if the provider is asked for its list. */
  readonly models?: ReadonlyArray<string>
  /** Its name in the lists of prices, if that is another. */
  readonly prices?: string
  /**
   * The fate of a stream whose reader left: the provider `stops` it and bills what it made until then, or `runs_on` and
   * bills all of it. Defaults to `stops`. A whole answer runs on everywhere.
   */
  readonly hangUp?: "stops" | "runs_on"
  /** Its name in OpenTelemetry's conventions (`gen_ai.provider.name`). */
  readonly telemetry?: string
}

/** One protocol at one address. */
export interface Surface {
  readonly protocol: ProtocolName
  /** Behind the origin: the rest of the base URL. */
  readonly path: string
  /** In place of the row's origin. */
  readonly origin?: string
  /**
   * Patterns of the models that speak it, with `*` for any characters; empty: those whose route says so. The first
   * surface has the models that no other one names.
   */
  readonly models?: ReadonlyArray<string>
}
