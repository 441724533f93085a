import { Context, Layer } from "effect"
import { unsupplied } from "../contract/testDouble.ts"
import type { TextUpstream } from "./Upstream.ts"

/** The text upstreams by name. */
export class TextUpstreams extends Context.Tag("gateway/upstreams/TextUpstreams")<
  TextUpstreams,
  ReadonlyMap<string, TextUpstream>
>() {
  /** These and no others. */
  static readonly layer = (...upstreams: ReadonlyArray<TextUpstream>) =>
    Layer.succeed(TextUpstreams, new Map(upstreams.map((upstream) => [upstream.name, upstream])))

  /** Upstreams for tests: what one is not given dies when it is asked for. */
  static readonly Test = (...upstreams: ReadonlyArray<Partial<TextUpstream> & Pick<TextUpstream, "name">>) =>
    TextUpstreams.layer(
      ...upstreams.map((given) => ({ generate: unsupplied(`${TextUpstreams.key}.generate`), ...given }))
    )
}
