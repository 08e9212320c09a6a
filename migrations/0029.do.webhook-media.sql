-- Where deliveries of message.received name a link to the file: 'link', or null for webhooks without.
alter table webhook add column media text check (media = 'link');
