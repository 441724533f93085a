import { Context, Layer } from "effect"
import { missingMember } from "../contract/testDouble.ts"
import type { TextUpstream } from "./Upstream.ts"

/** The text upstreams by name. */
export class TextUpstreams extends Context.Tag("gateway/upstreams/TextUpstreams")<
  TextUpstreams,
  ReadonlyMap<string, TextUpstream>
>() {
  /** A map of exactly these upstreams. */
  static readonly layer = (...upstreams: ReadonlyArray<TextUpstream>) =>
    Layer.succeed(TextUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))

  /** Upstreams for tests. A method that was not supplied dies when it is called. */
  static readonly Test = (...upstreams: ReadonlyArray<Partial<TextUpstream> & Pick<TextUpstream, "name">>) =>
    TextUpstreams.layer(
      ...upstreams.map((given) => ({ generate: missingMember(`${TextUpstreams.key}.generate`), ...given }))
    )
}
