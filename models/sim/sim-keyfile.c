/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scanner of profiles and scenarios.  A line is a group `[name]`, a comment `# …`, empty, or
 * `key = value`; blanks at both ends of a name, key or value do not count.  There are no inline
 * comments, continuation lines or quotes; `;` has no meaning here (it separates items in a value).
 */
#include "sim/sim-keyfile.h"
#include <string.h>

G_DEFINE_QUARK(sim - keyfile - error - quark, sim_keyfile_error)

typedef struct Group {
    const char *name;
    unsigned line;
    GPtrArray *entries; /* of SimKeyfileEntry, owned */
    GHashTable *by_key;
} Group;

struct SimKeyfile {
    char *name;
    GStringChunk *strings; /* every name, key and value, also replaced ones: borrowers stay safe */
    GPtrArray *groups;     /* of Group, owned */
    GPtrArray *names;      /* of const char *, NULL-ended */
    GHashTable *by_name;
};

static void group_free(gpointer data)
{
    Group *group = data;

    g_ptr_array_free(group->entries, TRUE);
    g_hash_table_destroy(group->by_key);
    g_free(group);
}

static SimKeyfile *keyfile_new(const char *name)
{
    SimKeyfile *self = g_new0(SimKeyfile, 1);

    self->name = g_strdup(name);
    self->strings = g_string_chunk_new(1024);
    self->groups = g_ptr_array_new_with_free_func(group_free);
    self->names = g_ptr_array_new();
    g_ptr_array_add(self->names, NULL);
    self->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    return self;
}

void sim_keyfile_free(SimKeyfile *self)
{
    if (!self) {
        return;
    }
    g_hash_table_destroy(self->by_name);
    g_ptr_array_free(self->names, TRUE);
    g_ptr_array_free(self->groups, TRUE);
    g_string_chunk_free(self->strings);
    g_free(self->name);
    g_free(self);
}

const char *sim_keyfile_name(const SimKeyfile *self)
{
    return self->name;
}

static Group *group_find(const SimKeyfile *self, const char *name)
{
    return g_hash_table_lookup(self->by_name, name);
}

static Group *group_add(SimKeyfile *self, const char *name, unsigned line)
{
    Group *group = g_new0(Group, 1);

    group->name = g_string_chunk_insert(self->strings, name);
    group->line = line;
    group->entries = g_ptr_array_new_with_free_func(g_free);
    group->by_key = g_hash_table_new(g_str_hash, g_str_equal);
    g_ptr_array_add(self->groups, group);
    g_ptr_array_index(self->names, self->names->len - 1) = (gpointer)group->name;
    g_ptr_array_add(self->names, NULL);
    g_hash_table_insert(self->by_name, (gpointer)group->name, group);
    return group;
}

static void entry_add(SimKeyfile *self, Group *group, const char *key, const char *value,
                      unsigned line)
{
    SimKeyfileEntry *entry = g_new0(SimKeyfileEntry, 1);

    entry->group = group->name;
    entry->key = g_string_chunk_insert(self->strings, key);
    entry->value = g_string_chunk_insert(self->strings, value);
    entry->line = line;
    g_ptr_array_add(group->entries, entry);
    g_hash_table_insert(group->by_key, (gpointer)entry->key, entry);
}

static void G_GNUC_PRINTF(5, 6)
    line_error(const SimKeyfile *self, unsigned line, SimKeyfileError code, GError **error,
               const char *format, ...)
{
    g_autofree char *message = NULL;
    va_list args;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    g_set_error(error, SIM_KEYFILE_ERROR, (gint)code, "%s:%u: %s", self->name, line, message);
}

static bool parse_group(SimKeyfile *self, char *line, unsigned number, Group **group,
                        GError **error)
{
    char *close = strchr(line, ']');
    const Group *before;

    if (!close) {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "group without its end; write %s]", line);
        return false;
    }
    if (close[1] != '\0') {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "text after \"]\"; a comment stands on a line of its own");
        return false;
    }
    *close = '\0';
    g_strstrip(++line);
    if (*line == '\0') {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error, "group without a name");
        return false;
    }
    before = group_find(self, line);
    if (before) {
        line_error(self, number, SIM_KEYFILE_ERROR_DUPLICATE, error,
                   "[%s] a second time (first at line %u); join the two", line, before->line);
        return false;
    }
    *group = group_add(self, line, number);
    return true;
}

/* A "#" after a blank looks like a comment and would silently become part of the value. */
static bool has_inline_comment(const char *value)
{
    for (const char *p = value; *p; p++) {
        if (*p == '#' && (p == value || g_ascii_isspace(p[-1]))) {
            return true;
        }
    }
    return false;
}

static bool parse_entry(SimKeyfile *self, char *line, unsigned number, Group *group, GError **error)
{
    char *equals = strchr(line, '=');
    const char *key = line, *value;
    const SimKeyfileEntry *before;

    if (!equals) {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "neither [group] nor key = value%s",
                   *line == ';' ? "; a comment starts with #" : "");
        return false;
    }
    *equals = '\0';
    g_strchomp(line);
    value = g_strchug(equals + 1);
    if (*key == '\0') {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error, "a key is missing before \"=\"");
        return false;
    }
    if (!group) {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "%s: outside of any group; write a [group] line above it", key);
        return false;
    }
    if (has_inline_comment(value)) {
        line_error(self, number, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "[%s] %s: a comment after a value; put it on a line of its own", group->name,
                   key);
        return false;
    }
    before = g_hash_table_lookup(group->by_key, key);
    if (before) {
        line_error(self, number, SIM_KEYFILE_ERROR_DUPLICATE, error,
                   "[%s] %s: a second time (first at line %u); keep one", group->name, key,
                   before->line);
        return false;
    }
    entry_add(self, group, key, value, number);
    return true;
}

static bool parse_text(SimKeyfile *self, const char *text, size_t bytes, GError **error)
{
    const char *bad;
    Group *group = NULL;
    unsigned number = 0;
    g_auto(GStrv) lines = NULL;

    if (!g_utf8_validate(text, (gssize)bytes, &bad)) {
        for (const char *p = text; p < bad; p++) {
            number += *p == '\n';
        }
        line_error(self, number + 1, SIM_KEYFILE_ERROR_SYNTAX, error,
                   "not UTF-8 text (byte 0x%02x); save the file as UTF-8", (unsigned char)*bad);
        return false;
    }
    if (g_str_has_prefix(text, "\xef\xbb\xbf")) {
        text += 3; /* a byte order mark */
    }
    lines = g_strsplit(text, "\n", -1);
    for (char **l = lines; *l; l++) {
        char *line = g_strstrip(*l); /* the CR of a CRLF is a blank too */

        number++;
        if (*line == '\0' || *line == '#') {
            continue;
        }
        if (*line == '[' ? !parse_group(self, line, number, &group, error)
                         : !parse_entry(self, line, number, group, error)) {
            return false;
        }
    }
    return true;
}

SimKeyfile *sim_keyfile_load(const char *path, GError **error)
{
    g_autoptr(SimKeyfile) self = keyfile_new(path);
    g_autofree char *text = NULL;
    g_autoptr(GError) read_error = NULL;
    gsize bytes;

    if (!g_file_get_contents(path, &text, &bytes, &read_error)) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_READ, "%s: cannot be read: %s",
                    path, read_error->message);
        return NULL;
    }
    return parse_text(self, text, bytes, error) ? g_steal_pointer(&self) : NULL;
}

SimKeyfile *sim_keyfile_parse(const char *name, const char *text, GError **error)
{
    g_autoptr(SimKeyfile) self = keyfile_new(name);

    return parse_text(self, text, strlen(text), error) ? g_steal_pointer(&self) : NULL;
}

SimKeyfile *sim_keyfile_copy(const SimKeyfile *self)
{
    SimKeyfile *copy = keyfile_new(self->name);

    for (guint i = 0; i < self->groups->len; i++) {
        const Group *group = g_ptr_array_index(self->groups, i);
        Group *twin = group_add(copy, group->name, group->line);

        for (guint j = 0; j < group->entries->len; j++) {
            const SimKeyfileEntry *entry = g_ptr_array_index(group->entries, j);

            entry_add(copy, twin, entry->key, entry->value, entry->line);
        }
    }
    return copy;
}

const char *const *sim_keyfile_groups(const SimKeyfile *self)
{
    return (const char *const *)self->names->pdata;
}

unsigned sim_keyfile_group_line(const SimKeyfile *self, const char *group)
{
    const Group *found = group_find(self, group);

    return found ? found->line : 0;
}

const GPtrArray *sim_keyfile_entries(const SimKeyfile *self, const char *group)
{
    const Group *found = group_find(self, group);

    return found ? found->entries : NULL;
}

SimKeyfileEntry *sim_keyfile_entry(SimKeyfile *self, const char *group, const char *key)
{
    Group *found = group_find(self, group);

    return found ? g_hash_table_lookup(found->by_key, key) : NULL;
}

const char *sim_keyfile_get(SimKeyfile *self, const char *group, const char *key)
{
    SimKeyfileEntry *entry = sim_keyfile_entry(self, group, key);

    if (!entry) {
        return NULL;
    }
    entry->taken = true;
    return entry->value;
}

void sim_keyfile_set(SimKeyfile *self, const char *group, const char *key, const char *value)
{
    Group *found = group_find(self, group);
    SimKeyfileEntry *entry;

    if (!found) {
        found = group_add(self, group, 0);
    }
    entry = g_hash_table_lookup(found->by_key, key);
    if (entry) {
        entry->value = g_string_chunk_insert(self->strings, value);
    } else {
        entry_add(self, found, key, value, 0);
    }
}

void sim_keyfile_error(const SimKeyfile *self, const SimKeyfileEntry *entry, SimKeyfileError code,
                       GError **error, const char *format, ...)
{
    g_autofree char *message = NULL;
    va_list args;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    if (!entry) {
        g_set_error(error, SIM_KEYFILE_ERROR, (gint)code, "%s: %s", self->name, message);
    } else if (entry->line != 0 && *entry->key == '\0') { /* the group as a whole */
        line_error(self, entry->line, code, error, "[%s]: %s", entry->group, message);
    } else if (entry->line == 0) { /* it came by sim_keyfile_set */
        g_set_error(error, SIM_KEYFILE_ERROR, (gint)code, "%s: [%s] %s: %s", self->name,
                    entry->group, entry->key, message);
    } else {
        line_error(self, entry->line, code, error, "[%s] %s: %s", entry->group, entry->key,
                   message);
    }
}

void sim_keyfile_group_error(const SimKeyfile *self, const char *group, SimKeyfileError code,
                             GError **error, const char *format, ...)
{
    unsigned line = sim_keyfile_group_line(self, group);
    g_autofree char *message = NULL;
    va_list args;

    va_start(args, format);
    message = g_strdup_vprintf(format, args);
    va_end(args);
    if (line == 0) {
        g_set_error(error, SIM_KEYFILE_ERROR, (gint)code, "%s: [%s]: %s", self->name, group,
                    message);
    } else {
        line_error(self, line, code, error, "[%s]: %s", group, message);
    }
}

bool sim_keyfile_check_taken(const SimKeyfile *self, const char *group, const char *const *known,
                             GError **error)
{
    const Group *found = group_find(self, group);

    for (guint i = 0; found && i < found->entries->len; i++) {
        const SimKeyfileEntry *entry = g_ptr_array_index(found->entries, i);
        const char *nearest;

        if (entry->taken) {
            continue;
        }
        nearest = sim_nearest_word(entry->key, known);
        if (nearest) {
            sim_keyfile_error(self, entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                              "unknown key; did you mean \"%s\"?", nearest);
        } else {
            sim_keyfile_error(self, entry, SIM_KEYFILE_ERROR_UNKNOWN, error,
                              "unknown key; remove it");
        }
        return false;
    }
    return true;
}

/* Letters added, left out, replaced or swapped with their neighbour; case does not count. */
static size_t edit_distance(const char *a, const char *b, size_t limit)
{
    size_t n = strlen(a), m = strlen(b), result;
    size_t *row[3];
    g_autofree size_t *cells = NULL;

    if ((n > m ? n - m : m - n) > limit) {
        return limit + 1;
    }
    cells = g_new(size_t, 3 * (m + 1));
    for (int i = 0; i < 3; i++) {
        row[i] = cells + (size_t)i * (m + 1);
    }
    for (size_t j = 0; j <= m; j++) {
        row[0][j] = j;
    }
    for (size_t i = 1; i <= n; i++) {
        size_t *now = row[i % 3], *last = row[(i + 2) % 3], *older = row[(i + 1) % 3];

        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            char x = g_ascii_tolower(a[i - 1]), y = g_ascii_tolower(b[j - 1]);

            now[j] = MIN(MIN(last[j], now[j - 1]) + 1, last[j - 1] + (x != y));
            if (i > 1 && j > 1 && x == g_ascii_tolower(b[j - 2]) &&
                y == g_ascii_tolower(a[i - 2])) {
                now[j] = MIN(now[j], older[j - 2] + 1);
            }
        }
    }
    result = row[n % 3][m];
    return result;
}

const char *sim_nearest_word(const char *word, const char *const *words)
{
    size_t limit = strlen(word) / 2, best = limit + 1;
    const char *nearest = NULL;

    if (strlen(word) > 256) {
        return NULL;
    }
    for (; words && *words; words++) {
        size_t distance = edit_distance(word, *words, limit);

        if (distance < best) {
            best = distance;
            nearest = *words;
        }
    }
    return nearest;
}
