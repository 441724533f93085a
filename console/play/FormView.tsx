import type { ComponentChildren } from "preact"
import { useApp } from "../hooks/useApp.ts"
import { Group, Select, TextArea, TextField } from "../parts/fields.tsx"
import { Faint } from "../parts/text.tsx"
import { words } from "../words/words.ts"
import { isText } from "./draft.ts"
import type { Family } from "./draft.ts"
import { Files } from "./Files.tsx"
import type { UsableModel } from "./models.ts"
import { Chip, Tools } from "./Tools.tsx"
import type { Form } from "./useForm.ts"

const text = words.playground

const forText = [
  "delay=2s",
  "pace=50ms",
  "tokens=500",
  "error=429",
  "error=500",
  "cut=20",
  "stall",
  "finish=refusal",
  "tool=get_weather"
]
const forVideo = ["queue=1m", "render=10s", "error=429", "fail=OutputVideoSensitiveContentDetected"]

const imageSizes = ["", "1024x1024", "1536x1024", "1024x1536"]
const usualResolutions = ["480p", "720p", "1080p"]
const usualRatios = ["16:9", "4:3", "1:1", "3:4", "9:16", "21:9"]

/** Choices, and the value if it is none of them. */
const withValue = (choices: ReadonlyArray<string>, value: string) =>
  [...choices, ...(choices.includes(value) ? [] : [value])].map((one) => [one, one] as const)

/** The request: models, texts, files, tools, limits. */
export const FormView = ({
  children,
  family,
  form,
  isCompared,
  keys,
  models
}: {
  readonly family: Family
  readonly form: Form
  readonly isCompared: boolean
  readonly models: ReadonlyArray<UsableModel>
  readonly keys: ReadonlyArray<readonly [id: string, name: string]>
  /** Below the fields. */
  readonly children: ComponentChildren
}) => {
  const { session } = useApp()
  const { fields, files, hasSearch, tools } = form
  const names = models.map(({ id }) => [id, id] as const)
  const asked = [fields.model.value.value, ...(isCompared ? [fields.beside.value.value] : [])]
  const hasSandbox = models.some(({ id, isSandbox }) => isSandbox && asked.includes(id))
  const bounds = models.find(({ id }) => id === asked[0])?.video
  const isVideo = family === "videos"
  const isTexts = isText(family)
  const isSound = family === "transcriptions"
  const direct = (setting: string) => {
    const user = fields.user.value
    user.value = `[[sandbox: ${setting}]] ${user.value.replace(/^\[\[sandbox:[^\]]*\]\] ?/, "")}`
  }
  return (
    <div class="play-form">
      <div class="pair">
        <Select id="play-model" label={text.model} of={fields.model} choices={names} />
        {isCompared && <Select id="play-beside" label={text.besideModel} of={fields.beside} choices={names} />}
        {session.kind === "operator" && <Select id="play-key" label={text.as} of={fields.key} choices={keys} />}
      </div>
      {isTexts && <TextArea id="play-system" label={text.system} of={fields.system} rows={2} />}
      <TextArea
        id="play-user"
        label={isVideo || isSound || family === "images" ? text.prompt : isTexts ? text.user : text.input}
        of={fields.user}
        rows={5}
      />
      {(isTexts || isVideo || isSound) && <Files files={files} says={isSound ? text.dropSound : text.drop} />}
      {isTexts && (
        <Group label={text.tools}>
          <Tools tools={tools} hasSearch={hasSearch} />
        </Group>
      )}
      {isTexts && (
        <div class="pair">
          <TextField id="play-tokens" label={text.maxTokens} of={fields.maxTokens} inputMode="numeric" />
          <TextField
            id="play-temperature"
            label={text.temperature}
            of={fields.temperature}
            inputMode="decimal"
            placeholder={text.own}
          />
        </div>
      )}
      {family === "images" && (
        <Select
          id="play-size"
          label={text.size}
          of={fields.size}
          choices={withValue(imageSizes, fields.size.value.value).map(([value, name]) => [value, name || text.own])}
        />
      )}
      {family === "speech" && <TextField id="play-voice" label={text.voice} of={fields.voice} />}
      {isVideo && (
        <>
          <div class="pair">
            <Select
              id="play-resolution"
              label={text.resolution}
              of={fields.resolution}
              choices={withValue(bounds?.resolutions ?? usualResolutions, fields.resolution.value.value)}
            />
            <Select
              id="play-ratio"
              label={text.ratio}
              of={fields.ratio}
              choices={withValue(bounds?.ratios ?? usualRatios, fields.ratio.value.value)}
            />
          </div>
          <TextField id="play-seconds" label={text.seconds} of={fields.seconds} inputMode="numeric" />
        </>
      )}
      {hasSandbox && (isTexts || isVideo) && (
        <div class="field">
          <span class="label">
            {text.badDay} <Faint>{text.directives}</Faint>
          </span>
          <div class="chips">
            {(isVideo ? forVideo : forText).map((setting) => (
              <Chip key={setting} name={setting} onClick={() => direct(setting)} />
            ))}
          </div>
        </div>
      )}
      {children}
    </div>
  )
}
