import { Context, Duration } from "effect"

/** How long responses and conversations are kept. */
export class ResponseRetention extends Context.Reference<ResponseRetention>()(
  "gateway/responses/store/ResponseRetention",
  {
    defaultValue: () => Duration.days(30)
  }
) {}
