/** One of the places where a model runs. */
export interface Route {
  /** Name of an upstream. */
  readonly upstream: string
  /** The model's id there. */
  readonly model: string
}
