-- Roles and database on a server of your own. As its superuser:
--   OWNER_PASSWORD=... APP_PASSWORD=... psql --dbname postgres --file roles.sql
-- PostgreSQL 16 has no builtin locales: there, say LOCALE 'C.UTF-8' in the place of the last line
-- of CREATE DATABASE.
\set ON_ERROR_STOP on
\getenv owner_password OWNER_PASSWORD
\getenv app_password APP_PASSWORD
CREATE ROLE lototrot_owner LOGIN PASSWORD :'owner_password';
CREATE ROLE lototrot_app LOGIN PASSWORD :'app_password';
CREATE DATABASE lototrot OWNER lototrot_owner TEMPLATE template0 ENCODING 'UTF8'
    LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER builtin BUILTIN_LOCALE 'C.UTF-8';
REVOKE ALL ON DATABASE lototrot FROM PUBLIC;
GRANT CONNECT ON DATABASE lototrot TO lototrot_app;
