import { Context, Layer } from "effect"
import type { ModelEntry } from "./Catalogue.ts"

/** Models beside those of `gateway.yaml`, for the upstreams that a gateway is given. */
export class OwnModels extends Context.Tag("gateway/catalogue/OwnModels")<OwnModels, ReadonlyArray<ModelEntry>>() {
  /** These and no others. */
  static readonly layer = (...models: ReadonlyArray<ModelEntry>) => Layer.succeed(OwnModels, models)
}
