import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { alsoCsv } from "../contract/text/alsoCsv.ts"
import { KnownFieldsOnly, OpenedBy } from "../contract/annotations.ts"
import { CodedError } from "../contract/failures/codedErrors.ts"
import { FilterParams, OverviewGroups, SpanParams, TableParams } from "../requests/OverviewGroups.ts"
import { TrafficCost } from "../requests/TrafficCost.ts"

/** Tables of the traffic, and its cost elsewhere. */
export class AdminOverviewApi extends HttpApiGroup.make("adminOverview")
  .add(
    HttpApiEndpoint.get("groups", "/admin/v1/overview/groups")
      .setUrlParams(Schema.Struct({ ...SpanParams, ...FilterParams, ...TableParams }))
      .addSuccess(OverviewGroups)
      .annotateContext(
        alsoCsv({
          summary: "Compare groups of requests with the period before",
          description:
            "By model, upstream, account or key, by two of them, by tag or by end user. Counts, costs and tokens are exact for " +
            "the span, to the millisecond; requests count by their start, money and tokens by their settlement. Percentiles " +
            "use at most 20000 requests, groups by tag or end user at most 100000. `by=upstream` also counts calls that " +
            "failed while another one answered."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("cost", "/admin/v1/overview/cost")
      .setUrlParams(
        Schema.Struct({
          ...SpanParams,
          ...FilterParams,
          on: Schema.String.pipe(Schema.minLength(1), Schema.maxLength(512)).annotations({
            description: "The model whose price counts, by its id here."
          })
        })
      )
      .addSuccess(TrafficCost)
      .annotateContext(
        OpenApi.annotations({
          summary: "Price past traffic as another model's",
          description:
            "By the tokens that were counted: another model may count and write others. The price is that of the model's " +
            "first route."
        })
      )
  )
  .addError(CodedError)
  .annotate(OpenedBy, "admin-key")
  .annotate(KnownFieldsOnly, true)
  .annotateContext(
    OpenApi.annotations({ title: "Overview", description: "The traffic by group, and its cost elsewhere." })
  ) {}
