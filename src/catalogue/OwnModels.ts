import { Context, Layer } from "effect"
import type { Model } from "./Catalogue.ts"

/** Models beside those of `gateway.yaml`, for the upstreams that a gateway is given. */
export class OwnModels extends Context.Tag("gateway/catalogue/OwnModels")<OwnModels, ReadonlyArray<Model>>() {
  /** These and no others. */
  static readonly layer = (...models: ReadonlyArray<Model>) => Layer.succeed(OwnModels, models)
}
