-- How long the successes of an hour took: how many below each bound of src/events/deliveries/durations.ts, and how many longer.
alter table delivery_hour add column times bigint[] not null default '{0,0,0,0,0,0,0,0,0,0}';
