import { outputWithin, parseModelName, unknownModel } from '../../models/catalogue.ts';
import { hostModel } from '../../models/wire.ts';
import { DetentError } from '../../protocol/error.ts';
import type { ChatModel, ModelDirectory, ResolvedModel } from '../../protocol/ports.ts';
import { own } from '../../text/wording.ts';

/** The models that the app brings. */
export class CoreModels implements ModelDirectory {
  readonly #models: Readonly<Record<string, ChatModel>>;
  readonly #hosted = new Map<string, ChatModel>();

  constructor(models: Readonly<Record<string, ChatModel>>) {
    this.#models = models;
  }

  async resolve(name: string): Promise<ResolvedModel> {
    const { provider, model, given } = this.find(name);
    const chat = this.#hosted.get(provider) ?? hostModel(given, provider);
    this.#hosted.set(provider, chat);
    const { contextWindow = unknownModel.contextWindow } = given;
    return {
      chat,
      model,
      contextWindow,
      maxOutputTokens: given.maxOutputTokens ?? outputWithin(contextWindow, unknownModel.maxOutputTokens),
      sendMaxOutputTokens: false,
      price: given.price ?? null,
      accepts: given.accepts ?? [],
    };
  }

  nameAddress(): void {}

  addressNow(): null {
    return null;
  }

  /** @throws DetentError `UNKNOWN_MODEL`, which lists the providers; what the model itself throws from `check`. */
  find(name: string): { provider: string; model: string; given: ChatModel } {
    const { provider, model } = parseModelName(name);
    const given = own(this.#models, provider);
    if (!given)
      throw new DetentError(
        'UNKNOWN_MODEL',
        `no provider "${provider}" in createCore({ models }); there are ${Object.keys(this.#models).join(', ') || 'none'}`,
        { details: { provider, known: Object.keys(this.#models) } },
      );
    given.check?.();
    return { provider, model, given };
  }
}
