import { Context } from "effect"
import type { TextUpstream } from "./Upstream.ts"

/** The configured text upstreams by name. */
export class TextUpstreams extends Context.Tag("gateway/upstreams/TextUpstreams")<
  TextUpstreams,
  ReadonlyMap<string, TextUpstream>
>() {}
