/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The port's life: creation, resets, semaphores; memory and write-backs for both engines.
 * [82599 §4.2, §5.2, §8.2.3.1] */
#include "ixgbe/ixgbe-internal.h"
#include "sim/sim-hash.h"

void ixgbe_model_violation(IxgbeModel *self, const char *rule, const char *text)
{
    if (self->port->telemetry != NULL) {
        sim_telemetry_violation(self->port->telemetry, self->port->device, ixgbe_model_now(self),
                                rule, text);
    }
}

/* --- Memory --- */

bool ixgbe_model_read_memory(IxgbeModel *self, uint64_t address, void *buf, size_t bytes)
{
    if (self->port->ops->dma_read(self->port->opaque, address, buf, bytes)) {
        return true;
    }
    self->counts[IXGBE_DEVICE_dma_errors]++;
    memset(buf, 0, bytes);
    return false;
}

bool ixgbe_model_write_memory(IxgbeModel *self, uint64_t address, const void *buf, size_t bytes)
{
    if (!self->bus_master) {
        return false; /* taken away while this was under way: it goes nowhere, and no one erred */
    }
    if (self->port->ops->dma_write(self->port->opaque, address, buf, bytes)) {
        return true;
    }
    self->counts[IXGBE_DEVICE_dma_errors]++;
    ixgbe_model_violation(self, "82599 §7.1.9", "write to where there is no memory");
    return false;
}

SimTime ixgbe_model_charge_write(IxgbeModel *self, PciePurpose purpose, uint64_t address,
                                 size_t bytes, SimTime from)
{
    self->counts[IXGBE_DEVICE_partial_line_writes] += pcie_partial_lines(address, bytes) > 0;
    return pcie_dma_write(self->function, purpose, address, bytes, from);
}

static void writeback_event(void *opaque)
{
    IxgbeWriteback *writeback = opaque;
    IxgbeModel *self = writeback->model;

    self->dma_pending--;
    if (writeback->tx) {
        ixgbe_model_tx_written(writeback);
    } else {
        ixgbe_model_rx_written(writeback);
    }
    writeback->next = self->writebacks_free;
    self->writebacks_free = writeback;
}

IxgbeWriteback *ixgbe_model_writeback_new(IxgbeModel *self)
{
    IxgbeWriteback *writeback = self->writebacks_free;

    if (writeback != NULL) {
        self->writebacks_free = writeback->next;
        return writeback;
    }
    writeback = g_new0(IxgbeWriteback, 1);
    writeback->model = self;
    sim_event_init(&writeback->event, writeback_event, writeback);
    g_ptr_array_add(self->writeback_list, writeback);
    return writeback;
}

void ixgbe_model_writeback_send(IxgbeModel *self, IxgbeWriteback *writeback, SimTime when)
{
    self->dma_pending++;
    sim_queue_schedule(self->port->queue, &writeback->event, when, SIM_PRIO_NORMAL);
}

/* --- Registers --- */

uint32_t ixgbe_model_swsm_read(IxgbeModel *self, unsigned index)
{
    uint32_t value = self->regs.SWSM[0];

    self->regs.SWSM[0] |= IXGBE_MASK(SWSM_SMBI);
    return value;
}

uint32_t ixgbe_model_status_read(IxgbeModel *self, unsigned index)
{
    bool on = !IXGBE_GET(self->regs.CTRL[0], CTRL_GIO_DIS) || self->dma_pending > 0;

    return IXGBE_PUT(STATUS_LAN_ID, self->lan_id) | IXGBE_PUT(STATUS_GIO_MASTER, on);
}

static void restart_dma(IxgbeModel *self)
{
    ixgbe_model_rx_run(self, ixgbe_model_now(self));
    ixgbe_model_tx_kick_all(self);
}

/* All of the port but who holds the semaphores, and the link. */
static void reset(IxgbeModel *self)
{
    self->counts[IXGBE_DEVICE_resets]++;
    ixgbe_model_rx_reset(self);
    ixgbe_model_tx_reset(self);
    ixgbe_model_irq_reset(self);
    ixgbe_model_director_reset(self);
    ixgbe_model_regs_reset(self);
    ixgbe_model_i2c_reset(self);
    ixgbe_model_link_reset(self);
    self->hash_table_valid = false;
    memcpy(&self->regs.RAL[0], self->mac, 4);
    self->regs.RAL[0] = GUINT32_FROM_LE(self->regs.RAL[0]);
    self->regs.RAH[0] = self->mac[4] | (uint32_t)self->mac[5] << 8 | IXGBE_MASK(RAH_AV);
}

void ixgbe_model_ctrl_written(IxgbeModel *self, unsigned index, uint32_t old, uint32_t value)
{
    if (IXGBE_GET(value, CTRL_RST) || IXGBE_GET(value, CTRL_LRST)) {
        reset(self);
    } else if (IXGBE_GET(old, CTRL_GIO_DIS) && !IXGBE_GET(value, CTRL_GIO_DIS)) {
        restart_dma(self);
    }
}

void ixgbe_model_reset(IxgbeModel *self)
{
    self->regs.SWSM[0] = self->regs.GSSR[0] = 0;
    reset(self);
}

void ixgbe_model_bus_master(IxgbeModel *self, bool on)
{
    bool was = self->bus_master;

    self->bus_master = on;
    if (on && !was) {
        restart_dma(self);
    }
}

/* --- Life --- */

static void record_device(IxgbeModel *self)
{
    SimTelemetry *telemetry = self->port->telemetry;
    g_autofree char *mac =
        g_strdup_printf("%02x:%02x:%02x:%02x:%02x:%02x", self->mac[0], self->mac[1], self->mac[2],
                        self->mac[3], self->mac[4], self->mac[5]);
    const SimParam *params;
    size_t n;

    if (telemetry == NULL) {
        return;
    }
    sim_telemetry_begin(telemetry, "device");
    sim_telemetry_str(telemetry, "device", self->port->device);
    sim_telemetry_str(telemetry, "model", "ixgbe");
    sim_telemetry_str(telemetry, "profile", self->profile->name);
    sim_telemetry_str(telemetry, "slot", pcie_link_name(pcie_function_link(self->function)));
    sim_telemetry_str(telemetry, "serial", mac);
    sim_telemetry_end(telemetry);
    params = ixgbe_profile_params(&n);
    for (size_t i = 0; i < n; i++) {
        g_autofree char *value = ixgbe_profile_format(self->profile, &params[i]);
        sim_telemetry_begin(telemetry, "param");
        sim_telemetry_str(telemetry, "device", self->port->device);
        sim_telemetry_str(telemetry, "key", params[i].key);
        sim_telemetry_str(telemetry, "value", value);
        sim_telemetry_str(telemetry, "source", ixgbe_profile_source(self->profile, params[i].key));
        sim_telemetry_end(telemetry);
    }
}

/* An address of the vendor's range that follows from the device's name. */
static void choose_mac(IxgbeModel *self, const uint8_t *mac)
{
    static const uint8_t vendor[3] = {0x00, 0x1b, 0x21};
    uint64_t hash = sim_hash64(g_str_hash(self->port->device));

    if (mac != NULL) {
        memcpy(self->mac, mac, sizeof self->mac);
        return;
    }
    memcpy(self->mac, vendor, sizeof vendor);
    for (unsigned i = 0; i < 3; i++) {
        self->mac[3 + i] = (uint8_t)(hash >> i * 8);
    }
}

static bool choose_sfp(IxgbeModel *self, const char *word, GError **error)
{
    static const char *const words[] = {"da", "sr", "none"};

    self->sfp = (unsigned)self->profile->sfp;
    for (unsigned i = 0; word != NULL && i < G_N_ELEMENTS(words); i++) {
        if (g_str_equal(word, words[i])) {
            self->sfp = i;
            return true;
        }
    }
    if (word != NULL) {
        g_set_error(error, SIM_KEYFILE_ERROR, SIM_KEYFILE_ERROR_VALUE, "sfp=%s: da, sr or none",
                    word);
    }
    return word == NULL;
}

IxgbeModel *ixgbe_model_new(const SimPort *port, PcieFunction *function,
                            const IxgbeProfile *profile, WireEnd *wire,
                            const IxgbeModelOptions *options, GError **error)
{
    static const IxgbeModelOptions none;
    IxgbeModel *self = g_new0(IxgbeModel, 1);

    options = options != NULL ? options : &none;
    self->port = port;
    self->function = function;
    self->profile = ixgbe_profile_ref((IxgbeProfile *)profile);
    if (!choose_sfp(self, options->sfp, error)) {
        ixgbe_profile_free(self->profile);
        g_free(self);
        return NULL;
    }
    self->wire = wire;
    self->lan_id = options->lan_id & 1;
    choose_mac(self, options->mac);
    self->unknown = g_new0(uint32_t, IXGBE_BAR0_DWORDS);
    self->writeback_list = g_ptr_array_new();
    self->perfect = g_array_new(FALSE, FALSE, sizeof(IxgbePerfect));
    self->director = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    ixgbe_model_eeprom_init(self);
    ixgbe_model_regs_init(self);
    ixgbe_model_irq_init(self);
    ixgbe_model_rx_init(self);
    ixgbe_model_tx_init(self);
    reset(self);
    self->counts[IXGBE_DEVICE_resets] = 0;
    ixgbe_model_link_init(self);
    record_device(self);
    return self;
}

const uint8_t *ixgbe_model_mac(const IxgbeModel *self)
{
    return self->mac;
}

void ixgbe_model_free(IxgbeModel *self)
{
    if (self == NULL) {
        return;
    }
    if (self->wire != NULL) {
        wire_end_attach(self->wire, NULL);
    }
    sim_queue_cancel(self->port->queue, &self->link_event);
    ixgbe_model_rx_reset(self);
    ixgbe_model_tx_reset(self);
    ixgbe_model_irq_reset(self);
    ixgbe_model_rx_clear(self);
    ixgbe_model_tx_clear(self);
    for (guint i = 0; i < self->writeback_list->len; i++) {
        IxgbeWriteback *writeback = g_ptr_array_index(self->writeback_list, i);
        sim_queue_cancel(self->port->queue, &writeback->event);
        g_free(writeback);
    }
    g_ptr_array_free(self->writeback_list, TRUE);
    g_hash_table_unref(self->director);
    g_array_free(self->perfect, TRUE);
    g_free(self->rx);
    g_free(self->tx);
    g_free(self->eeprom);
    g_free(self->map);
    g_free(self->unknown);
    ixgbe_profile_free(self->profile);
    g_free(self);
}
