import { Effect } from "effect"
import type { ProtocolName } from "../config/sections/Upstream.ts"
import { bearer } from "./Endpoint.ts"
import type { Endpoint } from "./Endpoint.ts"
import { anthropicMessagesAt } from "./protocols/anthropicMessages/anthropicMessages.ts"
import { arkVideo } from "./protocols/arkVideo/arkVideo.ts"
import { geminiAt } from "./protocols/gemini/gemini.ts"
import { bedrockConverse } from "./protocols/bedrockConverse/bedrockConverse.ts"
import { openaiAt } from "./protocols/azure.ts"
import { providerOf, providers } from "./protocols/openaiChat/compatible.ts"
import { dashscopeVideo } from "./protocols/dashscopeVideo/dashscopeVideo.ts"
import { klingEndpoint, klingVideo } from "./protocols/klingVideo/klingVideo.ts"
import { minimaxVideo } from "./protocols/minimaxVideo/minimaxVideo.ts"
import { openaiChat } from "./protocols/openaiChat/openaiChat.ts"
import { openaiResponses } from "./protocols/openaiResponses/openaiResponses.ts"
import { openaiVideos } from "./protocols/openaiVideos/openaiVideos.ts"
import { googleEndpoint, veo } from "./protocols/veo/veo.ts"
import type { Protocol } from "./protocols/Protocol.ts"
import { textUpstream } from "./text/textUpstream.ts"
import type { TextUpstreamOptions } from "./text/TextUpstreamOptions.ts"
import type { TextUpstream } from "./Upstream.ts"
import type { VideoServices, VideoUpstreamOptions } from "./videos/videoApi.ts"
import type { VideoUpstream } from "./videos/VideoUpstream.ts"

/** A protocol of text models. */
export interface TextProtocol {
  readonly kind: "text"
  /** The endpoint that lists its models. */
  readonly listing: (
    baseUrl: string,
    provider?: string
  ) => Pick<Protocol<never>, "endpoint" | "isListOfAll" | "listedAt" | "modelIds" | "models">
  /** @param provider the entry's setting; undefined detects it by host or name */
  readonly upstream: (options: TextUpstreamOptions, provider?: string) => TextUpstream
}

/** A protocol of video models. */
interface VideoProtocol {
  readonly kind: "video"
  /** The endpoint that lists its models, or its tasks if it lists no models. */
  readonly listing: {
    readonly endpoint: Pick<Endpoint, "version" | "headers">
    readonly models: string
    readonly ofModels: boolean
  }
  readonly upstream: (options: VideoUpstreamOptions) => Effect.Effect<VideoUpstream, never, VideoServices>
}

const text = <S>(protocol: Protocol<S>): TextProtocol => ({
  kind: "text",
  listing: () => protocol,
  upstream: (options) => textUpstream(protocol, options)
})

const messages: TextProtocol = {
  kind: "text",
  listing: anthropicMessagesAt,
  upstream: (options, provider) => textUpstream(anthropicMessagesAt(options.baseUrl, provider), options)
}

const responses: TextProtocol = {
  kind: "text",
  listing: (baseUrl, provider) => openaiAt(openaiResponses, baseUrl, provider),
  upstream: (options, provider) => textUpstream(openaiAt(openaiResponses, options.baseUrl, provider), options)
}

const chat: TextProtocol = {
  kind: "text",
  listing: (baseUrl, provider) => openaiAt(openaiChat(providers.generic), baseUrl, provider),
  upstream: (options, provider) => {
    const row = providerOf(options, provider)
    const { thinkTags = row.thinkTags } = options
    return textUpstream(openaiAt(openaiChat({ ...row, thinkTags }), options.baseUrl, provider), options)
  }
}

/** A list of tasks, which the key alone opens. */
const listing = (models: string) => ({ endpoint: { version: "", headers: bearer }, models, ofModels: false }) as const

/** Every protocol that an upstream can speak. A new one is a folder, a name in the settings' schema and a row here. */
export const protocols = {
  "anthropic-messages": messages,
  "openai-responses": responses,
  "openai-chat": chat,
  gemini: {
    kind: "text",
    listing: geminiAt,
    upstream: (options) => textUpstream(geminiAt(options.baseUrl), options)
  },
  "bedrock-converse": text(bedrockConverse),
  "ark-video": {
    kind: "video",
    listing: listing("/contents/generations/tasks?page_size=1"),
    upstream: (options) => Effect.sync(() => arkVideo(options))
  },
  "openai-videos": { kind: "video", listing: { ...listing("/models"), ofModels: true }, upstream: openaiVideos },
  "minimax-video": {
    kind: "video",
    listing: listing("/query/video_generation?page_num=1&page_size=1"),
    upstream: minimaxVideo
  },
  "dashscope-video": {
    kind: "video",
    listing: listing("/tasks?page_no=1&page_size=1"),
    upstream: (options) => Effect.sync(() => dashscopeVideo(options))
  },
  "kling-video": {
    kind: "video",
    listing: { endpoint: klingEndpoint, models: "/videos/text2video?pageNum=1&pageSize=1", ofModels: false },
    upstream: (options) => Effect.sync(() => klingVideo(options))
  },
  veo: {
    kind: "video",
    listing: { endpoint: googleEndpoint, models: "/models?pageSize=1", ofModels: false },
    upstream: veo
  }
} satisfies Readonly<Record<ProtocolName, TextProtocol | VideoProtocol>>

/** The row of a name that is only known at run time. */
export const protocolOf: (name: ProtocolName) => TextProtocol | VideoProtocol = (name) => protocols[name]
