import { Context } from "effect"
import type { Model } from "./Catalogue.ts"

/** The models that are there without a word of configuration: those of the upstreams that a gateway is built with. */
export class OwnModels extends Context.Tag("gateway/catalogue/OwnModels")<OwnModels, ReadonlyArray<Model>>() {}
