/** An upstream and a model that serve a configured model. */
export interface Route {
  /** Name of an upstream. */
  readonly upstream: string
  /** The model's id at the upstream. */
  readonly model: string
  /** The public id of the model, if `model` is a name of the operator's own. */
  readonly knownAs?: string
  /** The name of the upstream's key to use, if it has several. */
  readonly key?: string
}
