/** The configuration: its schema, its defaults, its fields as a list. */
export {
  type AgentConfig,
  type BudgetConfig,
  type ContextConfig,
  checkConfig,
  configTree,
  type DatabaseConfig,
  type LimitsConfig,
  type LogConfig,
  type McpConfig,
  type McpServerConfig,
  type MemoryConfig,
  type NotifyConfig,
  type PolicyConfig,
  type RouterConfig,
  type ShopConfig,
  type SkillsConfig,
  type TakeoverConfig,
} from './config/config.ts';
export { type Field, type Fields, longTime, withoutLinks } from './config/field.ts';
export { configJsonSchema } from './config/json-schema.ts';
export { type ConfigField, configFields } from './config/list-fields.ts';
