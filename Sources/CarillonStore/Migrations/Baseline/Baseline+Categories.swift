import CarillonSQL

/// Labels of categories, and the Devices that have them.
extension Baseline {
    /// A Device whose row has no `categories` is in the label "1" of the dimension "" without a row here.
    ///
    /// Labels of one-dimensional categories have the dimension "". A label that no operator defined has `is_defined` 0.
    var categories: [String] {
        [
            """
            CREATE TABLE category_labels (
                app_id BIGINT NOT NULL,
                number BIGINT NOT NULL,
                is_defined BIGINT NOT NULL,
                created_at BIGINT NOT NULL,
                dimension \(dialect.text) NOT NULL,
                label \(dialect.text) NOT NULL,
                title \(dialect.text),
                PRIMARY KEY (app_id, number)
            ) \(dialect.clustered);
            CREATE UNIQUE INDEX category_labels_by_label ON category_labels (app_id, dimension, label);
            CREATE TABLE device_categories (
                app_id BIGINT NOT NULL,
                label BIGINT NOT NULL,
                device_number BIGINT NOT NULL,
                PRIMARY KEY (app_id, label, device_number)
            ) \(dialect.clustered);

            """
        ]
    }
}
