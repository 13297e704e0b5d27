import { expect, it } from 'vitest';
import { knownModels } from '../../../../../../web/src/pages/chat/dock/composer/known-models.ts';

it('knows the models of the configuration and those that were used, each once', () => {
  const config = {
    config: { values: { model: 'a/one', fallbacks: ['b/two'], agents: { helper: { model: 'c/three' } } } },
  };
  const used = { groups: [{ key: 'b/two' }, { key: 'd/four' }, { key: '' }, { key: 'a/one' }] };
  expect(knownModels(config, used)).toEqual({ usual: 'a/one', models: ['b/two', 'c/three', 'd/four'] });
});

it('knows none while nothing was read', () => {
  expect(knownModels(undefined, undefined)).toEqual({ usual: null, models: [] });
});
