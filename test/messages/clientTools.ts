export const weather = {
  name: "get_weather",
  description: "The weather of a city",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] }
}

export const time = {
  name: "get_time",
  description: "The time of a city",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } } }
}

export const gif = "R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"
